// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/bandwidth.hpp"
#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr int kMostTensors = 5;

struct Tensors {
  float4* memory[kMostTensors];
};

__device__ void add(float4& sum, const float4& value) {
  sum.x += value.x;
  sum.y += value.y;
  sum.z += value.z;
  sum.w += value.w;
}

template <int Reads, int Writes, int Unroll>
__global__ __launch_bounds__(kThreads) void stream_kernel(Tensors tensors, std::int64_t packs) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * (kThreads * Unroll);
  float4 sums[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    sums[u] = make_float4(1.0F, 2.0F, 3.0F, 4.0F);
    const std::int64_t at = tile + u * kThreads + threadIdx.x;
    if (at >= packs) continue;
#pragma unroll
    for (int r = 0; r < Reads; ++r) add(sums[u], tensors.memory[r][at]);
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::int64_t at = tile + u * kThreads + threadIdx.x;
    if (at >= packs) continue;
#pragma unroll
    for (int w = 0; w < Writes; ++w) tensors.memory[Reads + w][at] = sums[u];
    // Data is finite: this keeps the reads and never writes.
    if (Writes == 0 && isnan(sums[u].x + sums[u].y + sums[u].z + sums[u].w)) {
      tensors.memory[0][at] = sums[u];
    }
  }
}

template <int Reads, int Writes, int Unroll>
void launch_unrolled(const Tensors& tensors, std::int64_t packs, cudaStream_t stream) {
  constexpr std::int64_t kTile = std::int64_t{kThreads} * Unroll;
  const auto blocks = static_cast<unsigned>((packs + kTile - 1) / kTile);
  stream_kernel<Reads, Writes, Unroll><<<blocks, kThreads, 0, stream>>>(tensors, packs);
  check_launch("stream_kernel");
}

template <int Reads, int Writes>
void launch(const Tensors& tensors, int unroll, std::int64_t packs, cudaStream_t stream) {
  switch (unroll) {
    case 2:
      return launch_unrolled<Reads, Writes, 2>(tensors, packs, stream);
    case 4:
      return launch_unrolled<Reads, Writes, 4>(tensors, packs, stream);
    case 8:
      return launch_unrolled<Reads, Writes, 8>(tensors, packs, stream);
    default:
      check(cudaErrorInvalidValue, "streaming with an unroll that no kernel has");
  }
}

}  // namespace

void stream_mix(const Mix& mix, int unroll, std::span<void* const> tensors, std::int64_t bytes,
                cudaStream_t stream) {
  Tensors packed{};
  for (std::size_t i = 0; i < std::min<std::size_t>(tensors.size(), kMostTensors); ++i) {
    packed.memory[i] = static_cast<float4*>(tensors[i]);
  }
  const std::int64_t packs = bytes / static_cast<std::int64_t>(sizeof(float4));
  switch (10 * mix.reads + mix.writes) {
    case 10:
      return launch<1, 0>(packed, unroll, packs, stream);
    case 41:
      return launch<4, 1>(packed, unroll, packs, stream);
    case 21:
      return launch<2, 1>(packed, unroll, packs, stream);
    case 11:
      return launch<1, 1>(packed, unroll, packs, stream);
    case 12:
      return launch<1, 2>(packed, unroll, packs, stream);
    case 13:
      return launch<1, 3>(packed, unroll, packs, stream);
    case 1:
      return launch<0, 1>(packed, unroll, packs, stream);
    default:
      check(cudaErrorInvalidValue, "streaming a mix that no kernel has");
  }
}

}  // namespace stepcast
