// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet's max pooling in nhwc by the provider cuda, for whole packs of channels: a thread takes
// one pack of channels in a tile of neighbouring outputs, whose windows share pixels.

#include "layers/plans/maxpool_lanes.cuh"

namespace stepcast {

inline constexpr int kPackWords = 4;

/// A thread computes Rows x Columns outputs of one pack.
template <typename T, int Rows, int Columns>
__global__ __launch_bounds__(kMaxPoolThreads) void maxpool_nhwc_kernel(
    const T* __restrict__ x, T* __restrict__ y, std::uint8_t* __restrict__ index, MaxPoolTiles g) {
  constexpr int kWidth = kWidest<T>;
  const std::uint32_t thread = blockIdx.x * kMaxPoolThreads + threadIdx.x;
  if (thread >= g.threads) return;
  const MaxPoolTile tile = maxpool_tile(g, thread);
  const int first_row = tile.row * Rows;
  const int first_column = tile.column * Columns;
  const int channels = static_cast<int>(g.packs.divisor()) * kWidth;
  const T* in = x + tile.plane * g.h * g.w * channels + tile.pack * kWidth;

  Maximum<T> best[Columns][kPackWords];
#pragma unroll
  for (int i = 0; i < 2 * Rows + 1; ++i) {
    const int row = 2 * first_row - 1 + i;
    Pack<std::uint32_t, kPackWords> pixels[2 * Columns + 1];
#pragma unroll
    for (int b = 0; b < 2 * Columns + 1; ++b) {
      const int column = 2 * first_column - 1 + b;
#pragma unroll
      for (std::uint32_t& word : pixels[b].value) word = kLeastWord<T>;
      if (row >= 0 && row < g.h && column >= 0 && column < g.w) {
        pixels[b] = load<kPackWords>(
            reinterpret_cast<const std::uint32_t*>(in + (row * g.w + column) * channels));
      }
    }
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      const std::uint32_t padded = q == 0 && first_column == 0 ? kEachLane<T> : 0;
      Maximum<T> maxima[kPackWords];
#pragma unroll
      for (int j = 0; j < kPackWords; ++j) {
        maxima[j] = row_maximum<T>(pixels[2 * q].value[j], pixels[2 * q + 1].value[j],
                                   pixels[2 * q + 2].value[j], padded);
        if (i > 0) best[q][j].take_row(maxima[j], i % 2 == 0 ? 2 : 1);
      }
      if (i > 0 && i % 2 == 0) {
        const int out_row = first_row + i / 2 - 1;
        const int column = first_column + q;
        if (out_row < g.out_h && column < g.out_w) {
          const std::int64_t at =
              ((tile.plane * g.out_h + out_row) * g.out_w + column) * channels + tile.pack * kWidth;
          Pack<std::uint32_t, kPackWords> values;
#pragma unroll
          for (int j = 0; j < kPackWords; ++j) values.value[j] = best[q][j].value;
          store(reinterpret_cast<std::uint32_t*>(y + at), values);
          store(index + at, place_bytes(best[q]));
        }
      }
      if (i % 2 == 0) {
#pragma unroll
        for (int j = 0; j < kPackWords; ++j) {
          best[q][j] = maxima[j];
          if (i == 0 && first_row == 0) best[q][j].place += 3 * kEachLane<T>;  // padding
        }
      }
    }
  }
}

/// A thread writes 2 Rows x 2 Columns pixels of one pack, from the (Rows + 1) x (Columns + 1)
/// outputs whose windows cover them.
template <typename T, int Rows, int Columns>
__global__ __launch_bounds__(kMaxPoolThreads) void maxpool_gradient_nhwc_kernel(
    const T* __restrict__ dy, const std::uint8_t* __restrict__ index, T* __restrict__ dx,
    MaxPoolTiles g) {
  constexpr int kWidth = kWidest<T>;
  const std::uint32_t thread = blockIdx.x * kMaxPoolThreads + threadIdx.x;
  if (thread >= g.threads) return;
  const MaxPoolTile tile = maxpool_tile(g, thread);
  const int first_row = tile.row * Rows;
  const int first_column = tile.column * Columns;
  const int channels = static_cast<int>(g.packs.divisor()) * kWidth;
  const std::int64_t from = tile.plane * g.out_h * g.out_w * channels + tile.pack * kWidth;

  Pack<T, kWidth> gradients[Rows + 1][Columns + 1];
  Pack<std::uint8_t, kWidth> places[Rows + 1][Columns + 1];
#pragma unroll
  for (int r = 0; r <= Rows; ++r) {
#pragma unroll
    for (int q = 0; q <= Columns; ++q) {
      // Beyond the end the last output is read again and not used.
      const int row = min(first_row + r, g.out_h - 1);
      const int column = min(first_column + q, g.out_w - 1);
      const std::int64_t at = from + (row * g.out_w + column) * channels;
      gradients[r][q] = load<kWidth>(dy + at);
      places[r][q] = load<kWidth>(index + at);
    }
  }

  const auto pooled = [&](int r, int q, int w) {
    const bool outside = first_row + r >= g.out_h || first_column + q >= g.out_w;
    return PooledGradient{to_float(gradients[r][q].value[w]),
                          outside ? kNoPlace : places[r][q].value[w]};
  };
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      const int row = 2 * (first_row + r);
      const int column = 2 * (first_column + q);
      if (row >= g.h || column >= g.w) continue;
      Pack<float, kWidth> pixels[4];
#pragma unroll
      for (int w = 0; w < kWidth; ++w) {
        float four[4];
        four_gradients(pooled(r, q, w), pooled(r, q + 1, w), pooled(r + 1, q, w),
                       pooled(r + 1, q + 1, w), four);
#pragma unroll
        for (int i = 0; i < 4; ++i) pixels[i].value[w] = four[i];
      }
      T* to = dx + ((tile.plane * g.h + row) * g.w + column) * channels + tile.pack * kWidth;
      const std::int64_t below = static_cast<std::int64_t>(g.w) * channels;
      store(to, packed<T>(pixels[0]));
      if (column + 1 < g.w) store(to + channels, packed<T>(pixels[1]));
      if (row + 1 >= g.h) continue;
      store(to + below, packed<T>(pixels[2]));
      if (column + 1 < g.w) store(to + below + channels, packed<T>(pixels[3]));
    }
  }
}

}  // namespace stepcast
