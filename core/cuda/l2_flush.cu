// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "core/cuda/check.hpp"
#include "core/cuda/l2_flush.hpp"

namespace stepcast {
namespace {

constexpr int kThreads = 512;
constexpr int kUnroll = 4;

/// Reads all packs, from the caches that all SMs share. The buffer holds zeros, so that nothing is
/// ever written; the compiler cannot know.
__global__ __launch_bounds__(kThreads) void read_kernel(uint4* packs, std::size_t count) {
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kThreads * kUnroll) + threadIdx.x;
  unsigned any = 0;
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::size_t at = first + static_cast<std::size_t>(u) * kThreads;
    if (at >= count) continue;
    const uint4 pack = __ldcg(packs + at);
    any |= pack.x | pack.y | pack.z | pack.w;
  }
  if (any != 0) packs[first].x = any;
}

}  // namespace

L2Flush::L2Flush(Bytes size, SourceLocation where)
    : buffer_(static_cast<std::size_t>(size.count()), where) {
  if (buffer_.size() == 0) return;
  check(cudaMemset(buffer_.data(), 0, buffer_.bytes()), "clearing the flush's buffer", where);
}

void L2Flush::enqueue(cudaStream_t stream) {
  if (buffer_.size() == 0) return;
  check(cudaMemsetAsync(buffer_.data(), 0, buffer_.bytes(), stream), "flushing the L2 cache");
}

void L2Flush::enqueue_read(cudaStream_t stream) {
  constexpr std::size_t kEach = std::size_t{kThreads} * kUnroll;
  const std::size_t packs = buffer_.bytes() / sizeof(uint4);
  if (packs == 0) return;
  const auto blocks = static_cast<unsigned>((packs + kEach - 1) / kEach);
  read_kernel<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<uint4*>(buffer_.data()), packs);
  check_launch("read_kernel");
}

Bytes l2_bytes(const cudaDeviceProp& device) {
  return Bytes(static_cast<double>(device.l2CacheSize));
}

}  // namespace stepcast
