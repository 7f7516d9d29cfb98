// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/layernorm.cuh"
#include "layers/plans/pack.cuh"
#include "layers/plans/reduce.cuh"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr int kHeld = 32;  // elements of a row that a thread keeps in registers

/// The sum over the `Group` threads that share a row, in all of them. One float a warp of scratch,
/// not used again before the next barrier.
template <int Group>
__device__ __forceinline__ float group_sum(float value, float* scratch) {
  value = warp_sum(value);
  if constexpr (Group > 32) {
    constexpr int kWarps = Group / 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) scratch[warp] = value;
    __syncthreads();
    const int first = warp / kWarps * kWarps;
    value = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) value += scratch[first + w];
  }
  return value;
}

/// `Group` threads read a row once, keep it, and take mean and variance from what they keep.
template <typename T, typename Y, int Width, int Group>
__global__ __launch_bounds__(kThreads) void layernorm_kernel(const T* x, const float* gamma,
                                                             const float* beta, Y* y, float* means,
                                                             float* invstds, std::int64_t rows,
                                                             int n) {
  constexpr int kPacks = kHeld / Width;
  __shared__ float scratch[2][kThreads / 32];
  const int lane = threadIdx.x % Group;
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * (kThreads / Group) + threadIdx.x / Group;
  const std::int64_t first = least(row, rows - 1) * n;  // beyond the end not written
  Pack<float, Width> held[kPacks];
  float sum = 0.0F;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int at = (k * Group + lane) * Width;
    if (at < n) {
      held[k] = unpack(load<Width>(x + first + at));
#pragma unroll
      for (const float value : held[k].value) sum += value;
    }
  }
  const float mean = group_sum<Group>(sum, scratch[0]) / static_cast<float>(n);
  float squares = 0.0F;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if ((k * Group + lane) * Width < n) {
#pragma unroll
      for (const float value : held[k].value) squares = fmaf(value - mean, value - mean, squares);
    }
  }
  const float variance = group_sum<Group>(squares, scratch[1]) / static_cast<float>(n);
  const float invstd = rsqrtf(variance + kLayerNormEpsilon);
  if (row >= rows) return;
  if (lane == 0) {
    means[row] = mean;
    invstds[row] = invstd;
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int at = (k * Group + lane) * Width;
    if (at < n) {
      const Pack<float, Width> scale = load<Width>(gamma + at);
      const Pack<float, Width> shift = load<Width>(beta + at);
#pragma unroll
      for (int w = 0; w < Width; ++w) {
        held[k].value[w] = fmaf((held[k].value[w] - mean) * invstd, scale.value[w], shift.value[w]);
      }
      store(y + first + at, packed<Y>(held[k]));
    }
  }
}

template <typename T, typename Y, int Width>
KernelList forward(const MatrixShape& s, Buffers b) {
  KernelList list;
  const auto add = [&](auto group) {
    constexpr int kGroup = decltype(group)::value;
    add_kernel(list, "layernorm" + choices(type_text<T>, type_text<Y>, Width, kGroup),
               layernorm_kernel<T, Y, Width, kGroup>, blocks_for(s.m, kThreads / kGroup), kThreads,
               static_cast<const T*>(b[0]), static_cast<const float*>(b[1]),
               static_cast<const float*>(b[2]), static_cast<Y*>(b[3]), static_cast<float*>(b[4]),
               static_cast<float*>(b[5]), s.m, s.n);
  };
  if (s.n <= 32 * kHeld) {
    add(std::integral_constant<int, 32>{});
  } else if (s.n <= 64 * kHeld) {
    add(std::integral_constant<int, 64>{});
  } else if (s.n <= 128 * kHeld) {
    add(std::integral_constant<int, 128>{});
  } else {
    add(std::integral_constant<int, 256>{});
  }
  return list;
}

}  // namespace

KernelList layernorm_cuda(const Op& op, Buffers b, const cudaDeviceProp& device) {
  const auto& s = std::get<MatrixShape>(op.shape);
  if (s.n > kLayerNormMaxColumns) return refusal("layer norm takes at most 8192 columns");
  if (op.family == Family::layernorm_bwd) {
    return layernorm_backward_cuda(op, b, device.multiProcessorCount);
  }
  return with_layernorm_types(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    using Y = typename decltype(out)::type;
    if (s.n % kWidest<T> == 0) return forward<T, Y, kWidest<T>>(s, b);
    return forward<T, Y, 1>(s, b);
  });
}

}  // namespace stepcast
