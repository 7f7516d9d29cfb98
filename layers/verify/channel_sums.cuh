// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over the channels of a tensor, in double, by many blocks a channel.

#include <cstddef>

#include "core/cuda/check.hpp"
#include "layers/verify/walk.cuh"

namespace stepcast {

/// Adds the block's sums to totals[sum * channels + channel]. All threads of the block call it.
template <int Sums>
__device__ __forceinline__ void add_to_totals(const double (&sums)[Sums], std::int64_t channels,
                                              double* totals) {
  __shared__ double scratch[kWalkThreads];
  double* mine = scratch + threadIdx.y * blockDim.x + threadIdx.x;
#pragma unroll
  for (int sum = 0; sum < Sums; ++sum) {
    *mine = sums[sum];
    __syncthreads();
    for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
      if (threadIdx.y < half) *mine += mine[half * blockDim.x];
      __syncthreads();
    }
    const std::int64_t channel = walk_channel();
    if (threadIdx.y == 0 && channel < channels) atomicAdd(totals + sum * channels + channel, *mine);
    __syncthreads();
  }
}

/// Terms: kSums; state(channel), what a channel's elements share; read(element), what memory holds;
/// add(read, state, sums), which adds an element's terms.
template <typename Terms>
__global__ __launch_bounds__(kWalkThreads) void sum_channels_kernel(ChannelView view, Terms terms,
                                                                    double* totals) {
  double sums[Terms::kSums] = {};
  const std::int64_t channel = walk_channel();
  if (channel < view.channels) {
    const auto state = terms.state(channel);
    walk(
        view, [&](const Element& element) { return terms.read(element); },
        [&](const Element&, const auto& value) { terms.add(value, state, sums); });
  }
  add_to_totals(sums, view.channels, totals);
}

/// totals[kSums][channels] = the sums of the terms of each channel.
template <typename Terms>
void sum_channels(const ChannelView& view, const Terms& terms, double* totals,
                  cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(Terms::kSums * view.channels) * sizeof(double);
  check(cudaMemsetAsync(totals, 0, bytes, stream), "zeroing the sums of a reference");
  const WalkLaunch launch = walk_launch(view);
  sum_channels_kernel<<<launch.grid, launch.block, 0, stream>>>(view, terms, totals);
  check_launch("sum_channels");
}

}  // namespace stepcast
