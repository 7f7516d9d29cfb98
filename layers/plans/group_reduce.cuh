// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over groups of `Group` neighbouring threads of a block: a warp, or whole warps.

#include "layers/plans/reduce.cuh"

namespace stepcast {

/// A barrier of the threads that share a row alone.
template <int Group>
__device__ __forceinline__ void group_barrier() {
  asm volatile("bar.sync %0, %1;" ::"r"(static_cast<int>(threadIdx.x) / Group + 1), "n"(Group)
               : "memory");
}

/// The sums over the threads that share a row, for all values at once.
template <int Group, int Count>
__device__ __forceinline__ void group_sums(float (&values)[Count], float (*scratch)[Count]) {
#pragma unroll
  for (float& value : values) value = warp_sum(value);
  if constexpr (Group > 32) {
    constexpr int kWarps = Group / 32;
    const int warp = threadIdx.x / 32;
    group_barrier<Group>();  // the sums before these have been read
    if (threadIdx.x % 32 == 0) {
#pragma unroll
      for (int i = 0; i < Count; ++i) scratch[warp][i] = values[i];
    }
    group_barrier<Group>();
    const int first = warp / kWarps * kWarps;
#pragma unroll
    for (float& value : values) value = 0.0F;
    for (int w = 0; w < kWarps; ++w) {
#pragma unroll
      for (int i = 0; i < Count; ++i) values[i] += scratch[first + w][i];
    }
  }
}

}  // namespace stepcast
