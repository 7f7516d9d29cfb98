// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values of its channels that a thread of the provider cuda's batch norm keeps.

#include "layers/plans/batchnorm.cuh"
#include "layers/plans/fast_div.cuh"

namespace stepcast {

/// Values of the channels of a pack: one each, or one for all.
template <int W, Channels C>
struct PerChannel {
  static constexpr int kCount = C == Channels::kPlane ? 1 : W;
  float value[kCount];

  __device__ __forceinline__ float operator[](int w) const { return value[kCount == 1 ? 0 : w]; }
};

/// Reads a channel's value for each element of the pack in column j; `plane` is H W (nchw).
template <int W, Channels C>
__device__ __forceinline__ PerChannel<W, C> per_channel(const float* values, std::int64_t column,
                                                        const FastDiv<std::uint64_t>& plane) {
  PerChannel<W, C> result;
  if constexpr (C == Channels::kColumns) {
    const Pack<float, W> pack = load<W>(values + column);
#pragma unroll
    for (int w = 0; w < W; ++w) result.value[w] = pack.value[w];
  } else {
#pragma unroll
    for (int w = 0; w < result.kCount; ++w) {
      result.value[w] = values[plane.quotient(static_cast<std::uint64_t>(column + w))];
    }
  }
  return result;
}

}  // namespace stepcast
