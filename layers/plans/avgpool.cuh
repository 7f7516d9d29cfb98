// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Global average pooling forward for both of our providers: the mean of each image's plane, one for
// each channel.

#include <string>

#include "layers/op.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/pack.cuh"
#include "layers/plans/reduce.cuh"

namespace stepcast {

/// Why this is no global average; empty if it is.
inline std::string avgpool_refusal(const Op& op) {
  const auto& s = std::get<PoolShape>(op.shape);
  if (s.r == s.h && s.r == s.w && s.p == 0) return {};
  return "average pooling is global alone: the window must be the whole image, without padding";
}

/// nhwc: 32 lanes with a pack of channels each, the block's warps over the pixels of one image.
template <typename T, int Width, int Threads>
__global__ __launch_bounds__(Threads) void average_nhwc_kernel(const T* x, T* y, std::int64_t plane,
                                                               std::int64_t channels,
                                                               unsigned strips) {
  constexpr int kWarps = Threads / 32;
  __shared__ float scratch[kWarps][32 * Width];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const std::int64_t image = blockIdx.x / strips;
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x % strips * 32 + lane) * Width;
  float sums[Width] = {};
  if (channel < channels) {
    const T* first = x + image * plane * channels + channel;
#pragma unroll 4
    for (std::int64_t pixel = warp; pixel < plane; pixel += kWarps) {
      const Pack<float, Width> values = unpack(load<Width>(first + pixel * channels));
#pragma unroll
      for (int w = 0; w < Width; ++w) sums[w] += values.value[w];
    }
  }
#pragma unroll
  for (int w = 0; w < Width; ++w) scratch[warp][lane * Width + w] = sums[w];
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * Width; i += Threads) {
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.x % strips) * 32 * Width + i;
    if (at >= channels) break;
    float sum = 0.0F;
#pragma unroll
    for (int row = 0; row < kWarps; ++row) sum += scratch[row][i];
    y[image * channels + at] = from_float<T>(sum / static_cast<float>(plane));
  }
}

/// nchw: a warp sums `Rows` planes, side by side.
template <typename T, int Width, int Rows, int Threads>
__global__ __launch_bounds__(Threads) void average_nchw_kernel(const T* x, T* y, std::int64_t plane,
                                                               std::int64_t rows) {
  const int lane = threadIdx.x % 32;
  const std::int64_t first =
      (static_cast<std::int64_t>(blockIdx.x) * (Threads / 32) + threadIdx.x / 32) * Rows;
  float sums[Rows] = {};
#pragma unroll 2
  for (std::int64_t at = lane * Width; at < plane; at += 32 * Width) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const std::int64_t row = least(first + r, rows - 1);  // beyond the end not used
      const Pack<float, Width> values = unpack(load<Width>(x + row * plane + at));
#pragma unroll
      for (int w = 0; w < Width; ++w) sums[r] += values.value[w];
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const float sum = warp_sum(sums[r]);
    if (lane == 0 && first + r < rows) {
      y[first + r] = from_float<T>(sum / static_cast<float>(plane));
    }
  }
}

template <typename T, int Width, int Threads>
void add_average_nhwc(KernelList& list, const PoolShape& s, Buffers b) {
  const unsigned strips = blocks_for(s.c, 32 * Width);
  add_kernel(list, "avgpool_nhwc" + choices(type_text<T>, Width),
             average_nhwc_kernel<T, Width, Threads>, blocks_for(s.n * strips, 1), Threads,
             static_cast<const T*>(b[0]), static_cast<T*>(b[1]), s.h * s.w, s.c, strips);
}

template <typename T, int Width, int Rows, int Threads>
void add_average_nchw(KernelList& list, const PoolShape& s, Buffers b) {
  add_kernel(list, "avgpool_nchw" + choices(type_text<T>, Width, Rows),
             average_nchw_kernel<T, Width, Rows, Threads>,
             blocks_for(s.n * s.c, Rows * (Threads / 32)), Threads, static_cast<const T*>(b[0]),
             static_cast<T*>(b[1]), s.h * s.w, s.n * s.c);
}

}  // namespace stepcast
