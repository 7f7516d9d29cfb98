// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "layers/cost.hpp"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/optimizer.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {
namespace {

// PyTorch's multi_tensor_apply: tensors in chunks of 65536 elements, up to 320 chunks a launch,
// whose places travel in the kernel's arguments; a block of 512 threads a chunk, 4 elements a
// thread at a time.
constexpr int kThreads = 512;
constexpr int kWidth = 4;
constexpr std::int64_t kChunkElements = 65536;
constexpr int kMaxChunks = 320;

struct Chunks {
  std::int64_t first[kMaxChunks];
  int count[kMaxChunks];
};

struct ScaleMomentum {
  float* momentum;
  __device__ Pack<float, kWidth> operator()(std::int64_t at) const {
    auto m = load<kWidth>(momentum + at);
#pragma unroll
    for (float& value : m.value) value *= kMomentum;
    return m;
  }
  __device__ float one(std::int64_t at) const { return momentum[at] * kMomentum; }
  __device__ float* target() const { return momentum; }
};

/// target += alpha * other.
struct AddScaled {
  float* sum;
  const float* other;
  float alpha;
  __device__ Pack<float, kWidth> operator()(std::int64_t at) const {
    auto result = load<kWidth>(sum + at);
    const auto term = load<kWidth>(other + at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) result.value[i] = fmaf(alpha, term.value[i], result.value[i]);
    return result;
  }
  __device__ float one(std::int64_t at) const { return fmaf(alpha, other[at], sum[at]); }
  __device__ float* target() const { return sum; }
};

struct Unscale {
  float* gradient;
  float* found_inf;
  __device__ Pack<float, kWidth> operator()(std::int64_t at) const {
    auto result = load<kWidth>(gradient + at);
#pragma unroll
    for (float& value : result.value) {
      if (!unscale(value)) *found_inf = 1.0F;
    }
    return result;
  }
  __device__ float one(std::int64_t at) const {
    float value = gradient[at];
    if (!unscale(value)) *found_inf = 1.0F;
    return value;
  }
  __device__ float* target() const { return gradient; }
};

template <typename Pass>
__global__ __launch_bounds__(kThreads) void multi_tensor_kernel(
    Pass pass, const __grid_constant__ Chunks chunks) {
  const std::int64_t first = chunks.first[blockIdx.x];
  const int count = chunks.count[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x) * kWidth; i < count; i += kThreads * kWidth) {
    if (i + kWidth <= count) {
      store(pass.target() + first + i, pass(first + i));
    } else {
      for (int j = i; j < count; ++j) pass.target()[first + j] = pass.one(first + j);
    }
  }
}

struct ChunkPlace {
  std::int64_t first;
  int count;
};

/// The chunks of e elements in t nearly equal tensors that begin at multiples of 16 bytes.
std::vector<ChunkPlace> chunk_places(const TensorsShape& s) {
  const std::int64_t each = s.e / s.t / kWidth * kWidth;
  std::vector<ChunkPlace> places;
  for (std::int64_t t = 0; t < s.t; ++t) {
    const std::int64_t end = t + 1 == s.t ? s.e : (t + 1) * each;
    for (std::int64_t at = t * each; at < end; at += kChunkElements) {
      places.push_back({at, static_cast<int>(std::min(kChunkElements, end - at))});
    }
  }
  return places;
}

/// One pass in `launches` launches, over which the chunks are spread evenly.
template <typename Pass>
void add_pass(KernelList& list, const std::string& name, const Pass& pass,
              const std::vector<ChunkPlace>& places, std::int64_t launches) {
  const auto size = static_cast<std::int64_t>(places.size());
  for (std::int64_t l = 0; l < launches; ++l) {
    const std::int64_t begin = size * l / launches;
    const std::int64_t end = size * (l + 1) / launches;
    Chunks chunks{};
    for (std::int64_t i = begin; i < end; ++i) {
      chunks.first[i - begin] = places[static_cast<std::size_t>(i)].first;
      chunks.count[i - begin] = places[static_cast<std::size_t>(i)].count;
    }
    add_kernel(list, name, multi_tensor_kernel<Pass>, blocks_for(end - begin, 1), kThreads, pass,
               chunks);
  }
}

}  // namespace

KernelList optimizer_native(const Op& op, Buffers b, const cudaDeviceProp&) {
  if (op.in != DType::fp32 || op.out != DType::fp32) return refuse_types(op);
  const auto& s = std::get<TensorsShape>(op.shape);
  const std::vector<ChunkPlace> places = chunk_places(s);
  const std::int64_t passes = op.family == Family::sgd ? 3 : 1;
  const std::int64_t launches = kernels(op) / passes;
  if (static_cast<std::int64_t>(places.size()) > launches * kMaxChunks) {
    return refusal("more chunks than " + std::to_string(launches) + " launches take");
  }
  KernelList list;
  if (op.family == Family::sgd) {
    auto* weight = static_cast<float*>(b[0]);
    const auto* gradient = static_cast<const float*>(b[1]);
    auto* momentum = static_cast<float*>(b[2]);
    add_pass(list, "multi_tensor_scale<fp32>", ScaleMomentum{momentum}, places, launches);
    add_pass(list, "multi_tensor_add<fp32>", AddScaled{momentum, gradient, 1.0F}, places, launches);
    add_pass(list, "multi_tensor_add<fp32>", AddScaled{weight, momentum, -kLearningRate}, places,
             launches);
  } else {
    add_pass(list, "multi_tensor_unscale<fp32>",
             Unscale{static_cast<float*>(b[0]), static_cast<float*>(b[1])}, places, launches);
  }
  return list;
}

}  // namespace stepcast
