// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet's max pooling (3 x 3, stride 2, padding 1) by the provider cuda, what its kernels for both
// layouts share: tiles of a thread, maxima of elements as they lie in registers, and the gradient
// of the four pixels that a window begins with. An index is its place in the window, 3 a + b.

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

/// Elements of T in a 32-bit word, and a number that has a one in each of them.
template <typename T>
inline constexpr int kWordLanes = 4 / static_cast<int>(sizeof(T));
template <typename T>
inline constexpr std::uint32_t kEachLane = sizeof(T) == 4 ? 1U : 0x10001U;

/// -inf in each lane.
template <typename T>
inline constexpr std::uint32_t kLeastWord = 0xff800000U;
template <>
inline constexpr std::uint32_t kLeastWord<__half> = 0xfc00fc00U;
template <>
inline constexpr std::uint32_t kLeastWord<__nv_bfloat16> = 0xff80ff80U;

template <typename T>
__device__ __forceinline__ auto lane_pair(std::uint32_t word) {
  if constexpr (std::is_same_v<T, __half>) {
    return __half2(*reinterpret_cast<const __half2*>(&word));
  } else {
    return __nv_bfloat162(*reinterpret_cast<const __nv_bfloat162*>(&word));
  }
}

/// The maximum so far of each lane of a word, and its place. The first of equal ones counts; NaN is
/// one.
template <typename T>
struct Maximum {
  std::uint32_t value, place;

  __device__ __forceinline__ void take(std::uint32_t other, std::uint32_t other_place) {
    if constexpr (sizeof(T) == 4) {
      const float candidate = __uint_as_float(other);
      const bool better = candidate > __uint_as_float(value) || isnan(candidate);
      value = better ? other : value;
      place = better ? other_place : place;
    } else {
      const auto candidate = lane_pair<T>(other);
      const std::uint32_t better =
          __hgt2_mask(candidate, lane_pair<T>(value)) | __hneu2_mask(candidate, candidate);
      value = (other & better) | (value & ~better);
      place = (other_place & better) | (place & ~better);
    }
  }

  /// `a`: the row that other's places are in.
  __device__ __forceinline__ void take_row(const Maximum& other, int a) {
    take(other.value, other.place + 3 * a * kEachLane<T>);
  }
};

/// The maximum of three neighbours in a row. `padded`: ones in the lanes whose left is padding.
template <typename T>
__device__ __forceinline__ Maximum<T> row_maximum(std::uint32_t left, std::uint32_t centre,
                                                  std::uint32_t right, std::uint32_t padded) {
  Maximum<T> result{left, padded};  // where all is -inf, the first place inside the image counts
  result.take(centre, kEachLane<T>);
  result.take(right, 2 * kEachLane<T>);
  return result;
}

/// The places of `Words` words, a byte each.
template <typename T, int Words>
__device__ __forceinline__ Pack<std::uint8_t, Words * kWordLanes<T>> place_bytes(
    const Maximum<T> (&maxima)[Words]) {
  Pack<std::uint8_t, Words * kWordLanes<T>> bytes;
#pragma unroll
  for (int i = 0; i < Words * kWordLanes<T>; ++i) {
    bytes.value[i] =
        static_cast<std::uint8_t>(maxima[i / kWordLanes<T>].place >> (i % kWordLanes<T> * 16));
  }
  return bytes;
}

/// An output's gradient and where its maximum was.
struct PooledGradient {
  float dy;
  int place;

  __device__ __forceinline__ float at(int window_place) const {
    return place == window_place ? dy : 0.0F;
  }
};

inline constexpr int kNoPlace = 255;  // of outputs outside the image

/// Pixels (2 o, 2 q), (2 o, 2 q + 1), (2 o + 1, 2 q), (2 o + 1, 2 q + 1), from the outputs
/// (o, q), (o, q + 1), (o + 1, q), (o + 1, q + 1), whose windows are all that cover them.
__device__ __forceinline__ void four_gradients(const PooledGradient& first,
                                               const PooledGradient& right,
                                               const PooledGradient& below,
                                               const PooledGradient& across, float (&dx)[4]) {
  dx[0] = first.at(4);
  dx[1] = first.at(5) + right.at(3);
  dx[2] = first.at(7) + below.at(1);
  dx[3] = first.at(8) + right.at(6) + below.at(2) + across.at(0);
}

}  // namespace stepcast
