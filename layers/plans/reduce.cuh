// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums and maxima over a warp and a block, and the last block of a group to arrive.

#include <cstdint>

namespace stepcast {

inline constexpr unsigned kAllLanes = 0xffffffffU;

/// The sum over `lanes` neighbouring lanes (a power of two), in all of them.
template <int Lanes = 32>
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int mask = Lanes / 2; mask > 0; mask /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, mask);
  }
  return value;
}

__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, mask));
  }
  return value;
}

/// The sum over a one-dimensional block, in all of its threads. `scratch` holds a float a warp and
/// may be used again after the call.
__device__ __forceinline__ float block_sum(float value, float* scratch) {
  const unsigned warps = (blockDim.x + 31) / 32;
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < warps ? scratch[threadIdx.x % 32] : 0.0F;
  value = warp_sum(value);
  __syncthreads();
  return value;
}

/// As block_sum, for the maximum.
__device__ __forceinline__ float block_max(float value, float* scratch) {
  const unsigned warps = (blockDim.x + 31) / 32;
  value = warp_max(value);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = scratch[threadIdx.x % 32 < warps ? threadIdx.x % 32 : 0];
  value = warp_max(value);
  __syncthreads();
  return value;
}

/// True in all threads of the last of `blocks` blocks that call this with the same counter, which
/// is then zero again. What the other blocks wrote before the call is visible to it (read it with
/// __ldcg).
__device__ __forceinline__ bool last_block(unsigned* counter, unsigned blocks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    last = atomicAdd(counter, 1U) == blocks - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

}  // namespace stepcast
