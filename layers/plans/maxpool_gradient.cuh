// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The gradient of ResNet's max pooling, a word of elements at a time.

#include "layers/plans/maxpool_lanes.cuh"

namespace stepcast {

/// A place in each lane: of two the fp16 number 1024 + place, which compares in one instruction.
template <typename T>
__device__ __forceinline__ constexpr std::uint32_t place_word(std::uint32_t place) {
  return kWordLanes<T> == 1 ? place : 0x64006400U + place * 0x00010001U;
}

inline constexpr std::uint32_t kNoPlace = 255;  // of outputs outside the image

/// Outputs' gradients and where their maxima were.
template <typename T>
struct PooledGradient {
  std::uint32_t dy, place;

  /// The gradients of maxima in a place; 0 of others.
  __device__ __forceinline__ std::uint32_t at(std::uint32_t window_place) const {
    if constexpr (kWordLanes<T> == 1) {
      return place == window_place ? dy : 0U;
    } else {
      return dy &
             __heq2_mask(lane_pair<__half>(place), lane_pair<__half>(place_word<T>(window_place)));
    }
  }
};

/// Of four places, a byte each, those of word j.
template <typename T>
__device__ __forceinline__ std::uint32_t word_places(std::uint32_t bytes, int j) {
  if constexpr (kWordLanes<T> == 1) {
    return (bytes >> (8 * j)) & 0xffU;
  } else {
    return __byte_perm(bytes, 0x64646464U, j == 0 ? 0x4140 : 0x4342);
  }
}

/// Rounds once. Of two lanes exactly as through fp32, which has more than twice their digits.
template <typename T>
__device__ __forceinline__ std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
  if constexpr (kWordLanes<T> == 1) {
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
  } else {
    return word_of(__hadd2(lane_pair<T>(a), lane_pair<T>(b)));
  }
}

/// Two lanes in fp32.
__device__ __forceinline__ float2 in_float(const __half2& pair) { return __half22float2(pair); }
__device__ __forceinline__ float2 in_float(const __nv_bfloat162& pair) {
  return __bfloat1622float2(pair);
}

/// Adds in fp32 and rounds once.
template <typename T>
__device__ __forceinline__ std::uint32_t sum(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                             std::uint32_t d) {
  if constexpr (kWordLanes<T> == 1) {
    return sum<T>(sum<T>(sum<T>(a, b), c), d);
  } else {
    const float2 p = in_float(lane_pair<T>(a));
    const float2 q = in_float(lane_pair<T>(b));
    const float2 r = in_float(lane_pair<T>(c));
    const float2 s = in_float(lane_pair<T>(d));
    return word_of(PairOf<T>::from(p.x + q.x + r.x + s.x, p.y + q.y + r.y + s.y));
  }
}

/// Pixels (2 o, 2 q), (2 o, 2 q + 1), (2 o + 1, 2 q), (2 o + 1, 2 q + 1), from the outputs
/// (o, q), (o, q + 1), (o + 1, q), (o + 1, q + 1), whose windows are all that cover them.
template <typename T>
__device__ __forceinline__ void four_gradients(const PooledGradient<T>& first,
                                               const PooledGradient<T>& right,
                                               const PooledGradient<T>& below,
                                               const PooledGradient<T>& across,
                                               std::uint32_t (&dx)[4]) {
  dx[0] = first.at(4);
  dx[1] = sum<T>(first.at(5), right.at(3));
  dx[2] = sum<T>(first.at(7), below.at(1));
  dx[3] = sum<T>(first.at(8), right.at(6), below.at(2), across.at(0));
}

}  // namespace stepcast
