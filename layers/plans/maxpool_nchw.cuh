// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet's max pooling in nchw by the provider cuda, for rows of whole packs: a thread takes
// neighbouring pixels in a few rows, so that each is read once from memory, 16 bytes at a time.

#include "layers/plans/maxpool_lanes.cuh"

namespace stepcast {

/// Splits a row's words into what the windows' left, centre and right columns read.
/// `before`: the element left of the words, in the word's last lane.
template <typename T, int OutWords>
__device__ __forceinline__ void row_maxima(const std::uint32_t (&words)[2 * OutWords],
                                           std::uint32_t before, std::uint32_t padded,
                                           Maximum<T> (&maxima)[OutWords]) {
#pragma unroll
  for (int j = 0; j < OutWords; ++j) {
    const std::uint32_t low = words[2 * j];
    const std::uint32_t high = words[2 * j + 1];
    if constexpr (sizeof(T) == 4) {
      maxima[j] = row_maximum<T>(before, low, high, padded);
      before = high;
    } else {
      const std::uint32_t odd = __byte_perm(low, high, 0x7632);
      maxima[j] = row_maximum<T>(__byte_perm(before, odd, 0x5432), __byte_perm(low, high, 0x5410),
                                 odd, padded);
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
    if (column == 0) continue;
    if constexpr (sizeof(T) == 4) {
      before[i] = *(packs - 1);
    } else {
      before[i] = static_cast<std::uint32_t>(*(reinterpret_cast<const std::uint16_t*>(packs) - 1))
                  << 16;
    }
  }

  const std::uint32_t padded = column == 0 ? 1 : 0;
  Maximum<T> above[kOutWords];
  row_maxima<T, kOutWords>(words[0], before[0], padded, above);
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (first_row + r >= g.out_h) return;
    Maximum<T> best[kOutWords];
    Maximum<T> row[kOutWords];
    row_maxima<T, kOutWords>(words[2 * r + 1], before[2 * r + 1], padded, row);
#pragma unroll
    for (int j = 0; j < kOutWords; ++j) {
      best[j] = above[j];
      if (r == 0 && first_row == 0) best[j].place += 3 * kEachLane<T>;  // above is padding
      best[j].take_row(row[j], 1);
    }
    row_maxima<T, kOutWords>(words[2 * r + 2], before[2 * r + 2], padded, above);
    Pack<std::uint32_t, kOutWords> values;
#pragma unroll
    for (int j = 0; j < kOutWords; ++j) {
      best[j].take_row(above[j], 2);
      values.value[j] = best[j].value;
    }
    const std::int64_t at =
        (tile.plane * g.out_h + first_row + r) * g.out_w + tile.column * (kWidth / 2);
    store(reinterpret_cast<std::uint32_t*>(y + at), values);
    store(index + at, place_bytes(best));
  }
}

/// A thread writes 16 bytes of 2 Rows rows, from the half as many outputs of Rows + 1 rows and the
/// next output in each.
template <typename T, int Rows>
__global__ __launch_bounds__(kMaxPoolThreads) void maxpool_gradient_nchw_kernel(
    const T* __restrict__ dy, const std::uint8_t* __restrict__ index, T* __restrict__ dx,
    MaxPoolTiles g) {
  constexpr int kWidth = kWidest<T>;
  constexpr int kOut = kWidth / 2;
  const std::uint32_t thread = blockIdx.x * kMaxPoolThreads + threadIdx.x;
  if (thread >= g.threads) return;
  const MaxPoolTile tile = maxpool_tile(g, thread);
  const int first_row = tile.row * Rows;
  const int column = tile.column * kOut;
  const std::int64_t from = tile.plane * g.out_h * g.out_w + column;

  Pack<T, kOut> gradients[Rows + 1];
  Pack<std::uint8_t, kOut> places[Rows + 1];
  PooledGradient next[Rows + 1];
#pragma unroll
  for (int r = 0; r <= Rows; ++r) {
    // Beyond the end the last row is read again and not used.
    const std::int64_t at = from + min(first_row + r, g.out_h - 1) * g.out_w;
    gradients[r] = load<kOut>(dy + at);
    places[r] = load<kOut>(index + at);
    next[r] = {0.0F, kNoPlace};
    if (column + kOut < g.out_w) next[r] = {to_float(dy[at + kOut]), index[at + kOut]};
  }

  const auto pooled = [&](int r, int q) {
    PooledGradient result = next[r];
    if (q < kOut) result = {to_float(gradients[r].value[q]), places[r].value[q]};
    if (r > 0 && first_row + r >= g.out_h) result.place = kNoPlace;
    return result;
  };
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int row = 2 * (first_row + r);
    if (row >= g.h) return;
    Pack<float, kWidth> top;
    Pack<float, kWidth> bottom;
#pragma unroll
    for (int q = 0; q < kOut; ++q) {
      float four[4];
      four_gradients(pooled(r, q), pooled(r, q + 1), pooled(r + 1, q), pooled(r + 1, q + 1), four);
      top.value[2 * q] = four[0];
      top.value[2 * q + 1] = four[1];
      bottom.value[2 * q] = four[2];
      bottom.value[2 * q + 1] = four[3];
    }
    T* to = dx + (tile.plane * g.h + row) * g.w + 2 * column;
    store(to, packed<T>(top));
    if (row + 1 < g.h) store(to + g.w, packed<T>(bottom));
  }
}

}  // namespace stepcast
