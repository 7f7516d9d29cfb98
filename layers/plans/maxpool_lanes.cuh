// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet's max pooling (3 x 3, stride 2, padding 1) by the provider cuda, what its kernels for both
// layouts share: tiles of a thread, and words of one or two elements as they lie in registers. An
// index is its place in the window, 3 a + b.

#include <cstdint>

#include "layers/op.hpp"
#include "layers/plans/fast_div.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {

inline constexpr int kMaxPoolThreads = 256;

/// A thread takes (plane, tile of rows, tile of columns, pack); planes are images in nhwc.
struct MaxPoolTiles {
  int h, w, out_h, out_w;
  FastDiv<std::uint32_t> packs;
  FastDiv<std::uint32_t> columns;
  FastDiv<std::uint32_t> rows;
  std::int64_t threads;

  /// Packs of a pixel; output columns and rows of a thread.
  MaxPoolTiles(const PoolShape& s, std::int64_t planes, std::int64_t pixel_packs, int tile_columns,
               int tile_rows)
      : h(static_cast<int>(s.h)),
        w(static_cast<int>(s.w)),
        out_h(static_cast<int>(stepcast::out_h(s))),
        out_w(static_cast<int>(stepcast::out_w(s))),
        packs(pixel_packs),
        columns((out_w + tile_columns - 1) / tile_columns),
        rows((out_h + tile_rows - 1) / tile_rows),
        threads(planes * pixel_packs * ((out_w + tile_columns - 1) / tile_columns) *
                ((out_h + tile_rows - 1) / tile_rows)) {}
};

struct MaxPoolTile {
  std::int64_t plane;
  int row, column, pack;  // row and column count tiles
};

__device__ __forceinline__ MaxPoolTile maxpool_tile(const MaxPoolTiles& g, std::uint32_t thread) {
  MaxPoolTile tile{};
  std::uint32_t column = g.packs.divide(thread);
  tile.pack = static_cast<int>(thread);
  std::uint32_t row = g.columns.divide(column);
  tile.column = static_cast<int>(column);
  tile.plane = g.rows.divide(row);
  tile.row = static_cast<int>(row);
  return tile;
}

/// Elements of T in a 32-bit word.
template <typename T>
inline constexpr int kWordLanes = 4 / static_cast<int>(sizeof(T));

/// -inf in each lane.
template <typename T>
inline constexpr std::uint32_t kLeastWord = 0xff800000U;
template <>
inline constexpr std::uint32_t kLeastWord<__half> = 0xfc00fc00U;
template <>
inline constexpr std::uint32_t kLeastWord<__nv_bfloat16> = 0xff80ff80U;

template <typename T>
using LanePair = typename PairOf<T>::type;

template <typename T>
__device__ __forceinline__ LanePair<T> lane_pair(std::uint32_t word) {
  return *reinterpret_cast<const LanePair<T>*>(&word);
}

template <typename Pair>
__device__ __forceinline__ std::uint32_t word_of(const Pair& pair) {
  static_assert(sizeof(Pair) == sizeof(std::uint32_t));
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

/// The upper lane of `first` and the lower one of `second`; of words of one lane the second.
template <typename T>
__device__ __forceinline__ std::uint32_t across(std::uint32_t first, std::uint32_t second) {
  if constexpr (kWordLanes<T> == 1) return second;
  return __byte_perm(first, second, 0x5432);
}

}  // namespace stepcast
