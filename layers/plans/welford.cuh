// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Welford's running mean and sum of squares, as PyTorch's own norm kernels compute them.

#include "layers/plans/reduce.cuh"

namespace stepcast {

/// Mean and sum of squared differences from it of the elements that were added. Starts from zeros.
struct Welford {
  float mean;
  float squares;
  float count;

  __device__ __forceinline__ void add(float value) {
    count += 1.0F;
    const float delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }

  __device__ __forceinline__ void merge(const Welford& other) {
    const float all = count + other.count;
    const float share = other.count / fmaxf(all, 1.0F);
    const float delta = other.mean - mean;
    mean += delta * share;
    squares += other.squares + delta * delta * count * share;
    count = all;
  }
};

/// The sum of the lane whose number differs by `mask`.
__device__ __forceinline__ Welford shuffled(const Welford& sum, int mask) {
  return {__shfl_xor_sync(kAllLanes, sum.mean, mask), __shfl_xor_sync(kAllLanes, sum.squares, mask),
          __shfl_xor_sync(kAllLanes, sum.count, mask)};
}

}  // namespace stepcast
