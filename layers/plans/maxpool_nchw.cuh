// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet's max pooling in nchw by the provider cuda, for rows of whole packs: a thread takes
// neighbouring pixels in a few rows, so that each is read once from memory, 16 bytes at a time.

#include "layers/plans/maxpool_gradient.cuh"
#include "layers/plans/maxpool_maxima.cuh"

namespace stepcast {

/// Splits a row's words into what the windows' left, centre and right columns read. `before`: the
/// word left of them. `padded`: ones where that is padding.
template <typename T, int OutWords>
__device__ __forceinline__ void row_maxima(const std::uint32_t (&words)[2 * OutWords],
                                           std::uint32_t before, std::uint32_t padded,
                                           Maximum<T> (&maxima)[OutWords]) {
  if constexpr (kWordLanes<T> == 2) padded &= 0xffffU;  // of the first lane alone
#pragma unroll
  for (int j = 0; j < OutWords; ++j) {
    const std::uint32_t low = words[2 * j];
    const std::uint32_t high = words[2 * j + 1];
    if constexpr (kWordLanes<T> == 1) {
      maxima[j] = row_maximum<T>(before, low, high, padded);
      before = high;
    } else {
      const std::uint32_t odd = __byte_perm(low, high, 0x7632);
      maxima[j] =
          row_maximum<T>(across<T>(before, odd), __byte_perm(low, high, 0x5410), odd, padded);
      before = odd;
    }
    padded = 0;
  }
}

/// A thread reads Packs x 16 bytes of 2 Rows + 1 rows and writes half as many outputs in Rows rows.
template <typename T, int Packs, int Rows>
__global__ __launch_bounds__(kMaxPoolThreads) void maxpool_nchw_kernel(
    const T* __restrict__ x, T* __restrict__ y, std::uint8_t* __restrict__ index, MaxPoolTiles g) {
  constexpr int kWidth = kWidest<T> * Packs;
  constexpr int kOutWords = 2 * Packs;
  constexpr int kInRows = 2 * Rows + 1;
  const std::uint32_t thread = blockIdx.x * kMaxPoolThreads + threadIdx.x;
  if (thread >= g.threads) return;
  const MaxPoolTile tile = maxpool_tile(g, thread);
  const int first_row = tile.row * Rows;
  const int column = tile.column * kWidth;
  const T* in = x + tile.plane * g.h * g.w + column;

  std::uint32_t words[kInRows][2 * kOutWords];
  std::uint32_t before[kInRows];
#pragma unroll
  for (int i = 0; i < kInRows; ++i) {
    const int row = 2 * first_row - 1 + i;
    before[i] = kLeastWord<T>;
#pragma unroll
    for (std::uint32_t& word : words[i]) word = kLeastWord<T>;
    if (row < 0 || row >= g.h) continue;
    const auto* packs = reinterpret_cast<const std::uint32_t*>(in + row * g.w);
#pragma unroll
    for (int k = 0; k < Packs; ++k) {
      const Pack<std::uint32_t, 4> pack = load<4>(packs + 4 * k);
#pragma unroll
      for (int j = 0; j < 4; ++j) words[i][4 * k + j] = pack.value[j];
    }
    if (column > 0) before[i] = *(packs - 1);
  }

  const std::uint32_t padded = column == 0 ? ~0U : 0U;
  Maximum<T> above[kOutWords];
  row_maxima<T, kOutWords>(words[0], before[0], padded, above);
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int out_row = first_row + r;
    if (out_row >= g.out_h) return;
    Maximum<T> middle[kOutWords];
    Maximum<T> bottom[kOutWords];
    Maximum<T> best[kOutWords];
    row_maxima<T, kOutWords>(words[2 * r + 1], before[2 * r + 1], padded, middle);
    row_maxima<T, kOutWords>(words[2 * r + 2], before[2 * r + 2], padded, bottom);
#pragma unroll
    for (int j = 0; j < kOutWords; ++j) {
      best[j] = window_maximum(above[j], middle[j], bottom[j], out_row == 0 ? ~0U : 0U);
      above[j] = bottom[j];
    }
    const std::int64_t at = (tile.plane * g.out_h + out_row) * g.out_w + column / 2;
    store_maxima(best, y + at, index + at);
    if (needs_scan(best)) {
      const T* plane = x + tile.plane * g.h * g.w;
#pragma unroll 1
      for (int q = 0; q < kWidth / 2; ++q) {
        scan_window(plane, g, 1, out_row, column / 2 + q, y + at + q, index + at + q);
      }
    }
  }
}

/// The gradients of a row's outputs, and of those one to the right.
template <typename T>
struct GradientRow {
  PooledGradient<T> own[2], right[2];
};

/// Reads two words of outputs. `inside`: whether the row has more. `outside`: whether there is no
/// such row, and another one is read in its stead.
template <typename T>
__device__ __forceinline__ GradientRow<T> gradient_row(const T* dy, const std::uint8_t* index,
                                                       bool inside, bool outside) {
  using Places = std::conditional_t<kWordLanes<T> == 1, std::uint16_t, std::uint32_t>;
  const auto* words = reinterpret_cast<const std::uint32_t*>(dy);
  const auto* bytes = reinterpret_cast<const Places*>(index);
  const Pack<std::uint32_t, 2> pack = load<2>(words);
  std::uint32_t places[3]{word_places<T>(bytes[0], 0), word_places<T>(bytes[0], 1),
                          place_word<T>(kNoPlace)};
  std::uint32_t next = 0;
  if (inside) {
    next = words[2];
    places[2] = word_places<T>(bytes[1], 0);
  }
  if (outside) {
#pragma unroll
    for (std::uint32_t& place : places) place = place_word<T>(kNoPlace);
  }
  return {{{pack.value[0], places[0]}, {pack.value[1], places[1]}},
          {{across<T>(pack.value[0], pack.value[1]), across<T>(places[0], places[1])},
           {across<T>(pack.value[1], next), across<T>(places[1], places[2])}}};
}

/// A thread writes 16 bytes of 2 Rows rows, from the half as many outputs of Rows + 1 rows and the
/// next output in each.
template <typename T, int Rows>
__global__ __launch_bounds__(kMaxPoolThreads) void maxpool_gradient_nchw_kernel(
    const T* __restrict__ dy, const std::uint8_t* __restrict__ index, T* __restrict__ dx,
    MaxPoolTiles g) {
  constexpr int kOut = kWidest<T> / 2;
  const std::uint32_t thread = blockIdx.x * kMaxPoolThreads + threadIdx.x;
  if (thread >= g.threads) return;
  const MaxPoolTile tile = maxpool_tile(g, thread);
  const int first_row = tile.row * Rows;
  const int column = tile.column * kOut;
  const std::int64_t from = tile.plane * g.out_h * g.out_w + column;

  GradientRow<T> rows[Rows + 1];
#pragma unroll
  for (int r = 0; r <= Rows; ++r) {
    const std::int64_t at = from + min(first_row + r, g.out_h - 1) * g.out_w;
    rows[r] =
        gradient_row(dy + at, index + at, column + kOut<g.out_w, r> 0 && first_row + r >= g.out_h);
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int row = 2 * (first_row + r);
    if (row >= g.h) return;
    Pack<std::uint32_t, 4> pixels[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      std::uint32_t four[4];
      four_gradients(rows[r].own[j], rows[r].right[j], rows[r + 1].own[j], rows[r + 1].right[j],
                     four);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const bool pair = kWordLanes<T> == 2;
        const std::uint32_t even = four[2 * i];
        const std::uint32_t odd = four[2 * i + 1];
        pixels[i].value[2 * j] = pair ? __byte_perm(even, odd, 0x5410) : even;
        pixels[i].value[2 * j + 1] = pair ? __byte_perm(even, odd, 0x7632) : odd;
      }
    }
    T* to = dx + (tile.plane * g.h + row) * g.w + 2 * column;
    store(reinterpret_cast<std::uint32_t*>(to), pixels[0]);
    if (row + 1 < g.h) store(reinterpret_cast<std::uint32_t*>(to + g.w), pixels[1]);
  }
}

}  // namespace stepcast
