// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet's max pooling in nhwc by the provider cuda, for whole packs of channels: a thread takes
// one pack of channels in a tile of neighbouring outputs, whose windows share pixels.

#include "layers/plans/maxpool_gradient.cuh"
#include "layers/plans/maxpool_maxima.cuh"

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

  Maximum<T> above[Columns][kPackWords];
  Maximum<T> middle[Columns][kPackWords];
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
      const std::uint32_t padded = q == 0 && first_column == 0 ? ~0U : 0U;
      Maximum<T> maxima[kPackWords];
#pragma unroll
      for (int j = 0; j < kPackWords; ++j) {
        maxima[j] = row_maximum<T>(pixels[2 * q].value[j], pixels[2 * q + 1].value[j],
                                   pixels[2 * q + 2].value[j], padded);
        if (i % 2 == 1) middle[q][j] = maxima[j];
        if (i == 0) above[q][j] = maxima[j];
      }
      if (i == 0 || i % 2 == 1) continue;
      const int out_row = first_row + i / 2 - 1;
      const int column = first_column + q;
      Maximum<T> best[kPackWords];
#pragma unroll
      for (int j = 0; j < kPackWords; ++j) {
        best[j] = window_maximum(above[q][j], middle[q][j], maxima[j], out_row == 0 ? ~0U : 0U);
        above[q][j] = maxima[j];
      }
      if (out_row >= g.out_h || column >= g.out_w) continue;
      const std::int64_t at =
          ((tile.plane * g.out_h + out_row) * g.out_w + column) * channels + tile.pack * kWidth;
      store_maxima(best, y + at, index + at);
      if (needs_scan(best)) {
#pragma unroll 1
        for (int w = 0; w < kWidth; ++w) {
          scan_window(in + w, g, channels, out_row, column, y + at + w, index + at + w);
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

  constexpr int kPlaceWords = kWidth / 4;
  Pack<std::uint32_t, kPackWords> gradients[Rows + 1][Columns + 1];
  Pack<std::uint32_t, kPlaceWords> places[Rows + 1][Columns + 1];
#pragma unroll
  for (int r = 0; r <= Rows; ++r) {
#pragma unroll
    for (int q = 0; q <= Columns; ++q) {
      // Beyond the end the last output is read again and not used.
      const int row = min(first_row + r, g.out_h - 1);
      const int column = min(first_column + q, g.out_w - 1);
      const std::int64_t at = from + (row * g.out_w + column) * channels;
      gradients[r][q] = load<kPackWords>(reinterpret_cast<const std::uint32_t*>(dy + at));
      places[r][q] = load<kPlaceWords>(reinterpret_cast<const std::uint32_t*>(index + at));
      if (first_row + r >= g.out_h || first_column + q >= g.out_w) {
#pragma unroll
        for (std::uint32_t& word : places[r][q].value) word = ~0U;  // kNoPlace in each byte
      }
    }
  }

  const auto pooled = [&](int r, int q, int j) {
    constexpr int kWordsOfBytes = 4 / kWordLanes<T>;
    return PooledGradient<T>{
        gradients[r][q].value[j],
        word_places<T>(places[r][q].value[j / kWordsOfBytes], j % kWordsOfBytes)};
  };
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      const int row = 2 * (first_row + r);
      const int column = 2 * (first_column + q);
      if (row >= g.h || column >= g.w) continue;
      Pack<std::uint32_t, kPackWords> pixels[4];
#pragma unroll
      for (int j = 0; j < kPackWords; ++j) {
        std::uint32_t four[4];
        four_gradients(pooled(r, q, j), pooled(r, q + 1, j), pooled(r + 1, q, j),
                       pooled(r + 1, q + 1, j), four);
#pragma unroll
        for (int i = 0; i < 4; ++i) pixels[i].value[j] = four[i];
      }
      T* to = dx + ((tile.plane * g.h + row) * g.w + column) * channels + tile.pack * kWidth;
      const auto put = [&](std::int64_t offset, int i) {
        store(reinterpret_cast<std::uint32_t*>(to + offset), pixels[i]);
      };
      const std::int64_t below = static_cast<std::int64_t>(g.w) * channels;
      put(0, 0);
      if (column + 1 < g.w) put(channels, 1);
      if (row + 1 >= g.h) continue;
      put(below, 2);
      if (column + 1 < g.w) put(below + channels, 3);
    }
  }
}

}  // namespace stepcast
