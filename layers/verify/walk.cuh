// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the references' kernels walk over tensors: each thread stays in one channel and takes every
// step-th of its elements, several of which it reads before it uses the first, so that memory stays
// the limit. In a warp, lanes lie side by side in memory.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace stepcast {

/// A tensor as [outer][channels][inner]: images are [n][c][h w] in nchw and [n h w][c][1] in nhwc,
/// a matrix whose columns are channels is [m][n][1], a run of elements [1][1][e].
struct ChannelView {
  std::int64_t outer = 1, channels = 1, inner = 1;
};

inline ChannelView run_view(std::int64_t elements) { return {1, 1, elements}; }

/// Where an element lies: in memory, and along the view's dimensions.
struct Element {
  std::int64_t index = 0, outer = 0, channel = 0, inner = 0;
};

inline constexpr int kWalkThreads = 256;
inline constexpr int kWalkUnroll = 4;

struct WalkLaunch {
  dim3 grid, block;
};

/// Threads beside each other take channels (32 by 8 threads) where a channel's elements do not lie
/// beside each other, else the channel's elements (1 by 256). The grid's y splits the channels.
inline WalkLaunch walk_launch(const ChannelView& view) {
  constexpr std::int64_t kBlocks = 1056;  // eight for each of an H200's 132 multiprocessors
  const bool columns = view.inner == 1;
  const dim3 block = columns ? dim3(32, kWalkThreads / 32) : dim3(1, kWalkThreads);
  const std::int64_t across = (view.channels + block.x - 1) / block.x;
  const std::int64_t each = std::int64_t{block.y} * kWalkUnroll;
  const std::int64_t useful = (view.outer * view.inner + each - 1) / each;
  const std::int64_t splits = std::clamp<std::int64_t>((kBlocks + across - 1) / across, 1,
                                                       std::max<std::int64_t>(useful, 1));
  return {dim3(static_cast<unsigned>(across), static_cast<unsigned>(splits)), block};
}

/// The thread's channel; none if it is not below view.channels.
__device__ __forceinline__ std::int64_t walk_channel() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// A thread's way through its channel.
class WalkPosition {
 public:
  __device__ __forceinline__ WalkPosition(const ChannelView& view, std::int64_t channel)
      : outer_size_(view.channels * view.inner), inner_size_(view.inner) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * blockDim.y;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    const std::int64_t count = view.outer * view.inner;
    left_ = first < count ? (count - first + step - 1) / step : 0;
    outer_step_ = step / view.inner;
    inner_step_ = step % view.inner;
    element_.channel = channel;
    element_.outer = first / view.inner;
    element_.inner = first % view.inner;
    element_.index = element_.outer * outer_size_ + channel * view.inner + element_.inner;
  }

  /// Elements that are left, next() one of them.
  [[nodiscard]] __device__ __forceinline__ std::int64_t left() const { return left_; }
  __device__ __forceinline__ Element next() {
    const Element here = element_;
    --left_;
    element_.outer += outer_step_;
    element_.inner += inner_step_;
    element_.index += outer_step_ * outer_size_ + inner_step_;
    if (element_.inner >= inner_size_) {
      element_.inner -= inner_size_;
      ++element_.outer;
      element_.index += outer_size_ - inner_size_;
    }
    return here;
  }

 private:
  std::int64_t outer_size_, inner_size_;
  std::int64_t outer_step_, inner_step_;
  std::int64_t left_;
  Element element_;
};

/// Calls read(element) and then use(element, what read gave) for each element of the thread's.
template <int Unroll = kWalkUnroll, typename Read, typename Use>
__device__ __forceinline__ void walk(const ChannelView& view, Read read, Use use) {
  const std::int64_t channel = walk_channel();
  if (channel >= view.channels) return;
  WalkPosition position(view, channel);
  while (position.left() >= Unroll) {
    Element elements[Unroll];
    decltype(read(elements[0])) values[Unroll];
#pragma unroll
    for (Element& element : elements) element = position.next();
#pragma unroll
    for (int u = 0; u < Unroll; ++u) values[u] = read(elements[u]);
#pragma unroll
    for (int u = 0; u < Unroll; ++u) use(elements[u], values[u]);
  }
  while (position.left() > 0) {
    const Element element = position.next();
    use(element, read(element));
  }
}

/// A warp a row: calls read(column) and then use(column, what read gave) for each column of the
/// lane's.
template <int Unroll = kWalkUnroll, typename Read, typename Use>
__device__ __forceinline__ void walk_row(std::int64_t columns, Read read, Use use) {
  for (std::int64_t first = threadIdx.x % 32; first < columns; first += 32 * Unroll) {
    decltype(read(first)) values[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const std::int64_t column = first + 32 * u;
      values[u] = read(column < columns ? column : first);
    }
#pragma unroll
    for (int u = 0; u < Unroll; ++u) {
      const std::int64_t column = first + 32 * u;
      if (column < columns) use(column, values[u]);
    }
  }
}

inline constexpr int kRowThreads = 256;

/// Blocks for a warp a row; a warp goes on to the row `row_step()` further.
inline unsigned row_blocks(std::int64_t rows) {
  constexpr std::int64_t kMost = 2112;  // twice 8 for each of an H200's 132 multiprocessors
  constexpr std::int64_t kEach = kRowThreads / 32;
  return static_cast<unsigned>(std::clamp<std::int64_t>((rows + kEach - 1) / kEach, 1, kMost));
}

__device__ __forceinline__ std::int64_t first_row() {
  return (static_cast<std::int64_t>(blockIdx.x) * kRowThreads + threadIdx.x) / 32;
}
__device__ __forceinline__ std::int64_t row_step() {
  return static_cast<std::int64_t>(gridDim.x) * (kRowThreads / 32);
}

/// The sum over a warp, in all lanes.
__device__ __forceinline__ double total_of_warp(double value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, distance);
  }
  return value;
}

}  // namespace stepcast
