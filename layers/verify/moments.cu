// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/moments.hpp"

#include <algorithm>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "layers/verify/stored.cuh"

namespace stepcast {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::int64_t kMostBlocks = 2048;

__device__ double warp_total(double value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffffU, value, mask);
  return value;
}

__global__ void add_moments(const void* memory, DType type, std::int64_t count, Moments* moments) {
  double sum = 0;
  double squares = 0;
  unsigned infinite = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const double value = read(memory, type, i);
    if (isfinite(value)) {
      sum += value;
      squares += value * value;
    } else {
      ++infinite;
    }
  }
  sum = warp_total(sum);
  squares = warp_total(squares);
  infinite = __reduce_add_sync(0xffffffffU, infinite);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&moments->sum, sum);
  atomicAdd(&moments->squares, squares);
  if (infinite > 0) atomicAdd(&moments->infinite, static_cast<unsigned long long>(infinite));
}

}  // namespace

Moments moments(const void* memory, DType type, std::int64_t count, cudaStream_t stream) {
  const DeviceBuffer<Moments> found(1);
  check(cudaMemsetAsync(found.data(), 0, found.bytes(), stream), "emptying moments");
  const std::int64_t blocks =
      std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, kMostBlocks);
  add_moments<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(memory, type, count,
                                                                      found.data());
  check_launch("add_moments");
  Moments host;
  check(cudaMemcpyAsync(&host, found.data(), found.bytes(), cudaMemcpyDeviceToHost, stream),
        "reading moments");
  check(cudaStreamSynchronize(stream), "checking data");
  return host;
}

}  // namespace stepcast
