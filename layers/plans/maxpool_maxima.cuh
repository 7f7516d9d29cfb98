// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The maxima of ResNet's max pooling, a word of elements at a time. Of two lanes the maximum is
// taken first, in one instruction each, and its place looked for afterwards. That finds no NaN,
// which scan_window() does.

#include "layers/plans/maxpool_lanes.cuh"

namespace stepcast {

/// Maxima and their places. fp32: the place in the window. Two lanes: in a row the column, in bits
/// 0 and 1 of a lane, in a window also the row, in bits 2 and 3; other bits are arbitrary.
template <typename T>
struct Maximum {
  std::uint32_t value, place;
};

/// In fp32 the first of equal ones counts; NaN is one.
__device__ __forceinline__ void take(Maximum<float>& best, std::uint32_t value,
                                     std::uint32_t place) {
  const float candidate = __uint_as_float(value);
  const bool better = candidate > __uint_as_float(best.value) || isnan(candidate);
  best.value = better ? value : best.value;
  best.place = better ? place : best.place;
}

template <typename T>
__device__ __forceinline__ std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
  return word_of(__hmax2_nan(lane_pair<T>(a), lane_pair<T>(b)));
}

/// Ones in the lanes that differ.
template <typename T>
__device__ __forceinline__ std::uint32_t different(std::uint32_t a, std::uint32_t b) {
  return __hneu2_mask(lane_pair<T>(a), lane_pair<T>(b));
}

/// `mask`'s ones choose b.
__device__ __forceinline__ std::uint32_t choose(std::uint32_t mask, std::uint32_t a,
                                                std::uint32_t b) {
  return (a & ~mask) | (b & mask);
}

/// Of three, which is the first that is not ruled out, in two bits of each lane from `two` on,
/// whose upper bit it has: 0, 1 or 2. The other bits are arbitrary.
__device__ __forceinline__ std::uint32_t first_of_three(std::uint32_t not_first,
                                                        std::uint32_t not_second,
                                                        std::uint32_t two) {
  return not_first & ~(not_second ^ two);
}

/// The maximum of three neighbours in a row. `padded`: ones in the lanes whose left is padding.
template <typename T>
__device__ __forceinline__ Maximum<T> row_maximum(std::uint32_t left, std::uint32_t centre,
                                                  std::uint32_t right, std::uint32_t padded) {
  // Where all is -inf, the first place inside the image counts.
  if constexpr (kWordLanes<T> == 1) {
    Maximum<T> result{left, padded & 1U};
    take(result, centre, 1);
    take(result, right, 2);
    return result;
  } else {
    const std::uint32_t value = larger<T>(larger<T>(left, centre), right);
    return {value, first_of_three(different<T>(left, value) | padded, different<T>(centre, value),
                                  0x00020002U)};
  }
}

/// The maximum of three rows. `padded`: all ones if the top one is padding.
template <typename T>
__device__ __forceinline__ Maximum<T> window_maximum(const Maximum<T>& top,
                                                     const Maximum<T>& middle,
                                                     const Maximum<T>& bottom,
                                                     std::uint32_t padded) {
  if constexpr (kWordLanes<T> == 1) {
    Maximum<T> result{top.value, top.place + (padded & 3U)};
    take(result, middle.value, middle.place + 3);
    take(result, bottom.value, bottom.place + 6);
    return result;
  } else {
    constexpr std::uint32_t kColumnBits = 0x00030003U;
    const std::uint32_t value = larger<T>(larger<T>(top.value, middle.value), bottom.value);
    const std::uint32_t not_top = different<T>(top.value, value) | padded;
    const std::uint32_t not_middle = different<T>(middle.value, value);
    const std::uint32_t column =
        choose(not_top, top.place, choose(not_middle, middle.place, bottom.place));
    return {value, choose(kColumnBits, first_of_three(not_top, not_middle, 0x00080008U), column)};
  }
}

/// Writes the values and places of neighbouring outputs.
template <typename T, int Words>
__device__ __forceinline__ void store_maxima(const Maximum<T> (&maxima)[Words], T* y,
                                             std::uint8_t* index) {
  Pack<std::uint32_t, Words> values;
#pragma unroll
  for (int j = 0; j < Words; ++j) values.value[j] = maxima[j].value;
  store(reinterpret_cast<std::uint32_t*>(y), values);
  if constexpr (kWordLanes<T> == 1) {
    Pack<std::uint8_t, Words> bytes;
#pragma unroll
    for (int j = 0; j < Words; ++j) bytes.value[j] = static_cast<std::uint8_t>(maxima[j].place);
    store(index, bytes);
  } else {
    Pack<std::uint32_t, Words / 2> bytes;
#pragma unroll
    for (int j = 0; j < Words / 2; ++j) {
      const std::uint32_t places =  // 4 a + b
          __byte_perm(maxima[2 * j].place, maxima[2 * j + 1].place, 0x6420) & 0x0f0f0f0fU;
      bytes.value[j] = places - ((places >> 2) & 0x03030303U);
    }
    store(reinterpret_cast<std::uint32_t*>(index), bytes);
  }
}

/// Whether scan_window() must correct what store_maxima() wrote.
template <typename T, int Words>
__device__ __forceinline__ bool needs_scan(const Maximum<T> (&maxima)[Words]) {
  if constexpr (kWordLanes<T> == 1) {
    return false;
  } else {
    std::uint32_t most = maxima[0].value;
#pragma unroll
    for (int j = 1; j < Words; ++j) most = larger<T>(most, maxima[j].value);
    return different<T>(most, most) != 0;
  }
}

/// One output, its window's elements in turn. `plane`: the channel's first pixel; `pixel`: elements
/// from one pixel to the next.
template <typename T>
__device__ __forceinline__ void scan_window(const T* plane, const MaxPoolTiles& g, int pixel,
                                            int row, int column, T* y, std::uint8_t* index) {
  Maximum<float> best{kLeastWord<float>, (row == 0 ? 3U : 0U) + (column == 0 ? 1U : 0U)};
#pragma unroll 1
  for (int place = 0; place < 9; ++place) {
    const int at_row = 2 * row - 1 + place / 3;
    const int at_column = 2 * column - 1 + place % 3;
    if (at_row < 0 || at_row >= g.h || at_column < 0 || at_column >= g.w) continue;
    const float value = to_float(plane[(at_row * g.w + at_column) * pixel]);
    take(best, __float_as_uint(value), place);
  }
  *y = from_float<T>(__uint_as_float(best.value));
  *index = static_cast<std::uint8_t>(best.place);
}

}  // namespace stepcast
