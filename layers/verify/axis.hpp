// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The product of two matrices whose elements are gathered from tensors: convolutions in all three
// directions, matrix products and attention differ in their axes alone.
//
//   result(i, j) = sum over k of a(i, k) b(j, k)
//
// An axis takes an index apart into three digits, each with a stride. The element (i, k) lies at
// the sum of the places of i and k; where the rows or columns of an image that both add up to are
// outside the image, it is 0 (padding).

#include <cstddef>
#include <cstdint>

#include "core/error.hpp"

#ifdef __CUDACC__
#define STEPCAST_BOTH __host__ __device__ __forceinline__
#else
#define STEPCAST_BOTH inline
#endif

namespace stepcast {

/// One digit of an index: how many values it has, and what each step adds to the place in memory
/// and to the row and column of the image.
struct Digit {
  std::int64_t size = 1;
  std::int64_t stride = 0;
  int row = 0;
  int column = 0;
};

struct Axis {
  std::int64_t size = 1;
  Digit slow, middle, fast;
  std::int64_t origin = 0;  // place, row and column of index 0
  int row = 0;
  int column = 0;
  std::int64_t first = 0;  // added to the index
};

inline Axis make_axis(const Digit& slow, const Digit& middle = {}, const Digit& fast = {}) {
  Axis axis{slow.size * middle.size * fast.size, slow, middle, fast};
  if (axis.size >= (std::int64_t{1} << 31)) throw DataError("verify: an axis of 2^31 or more");
  return axis;
}

struct Place {
  std::int64_t at;
  int row, column;
};

constexpr int kOutside = -(1 << 29);

/// `end`: indices from there on are outside.
STEPCAST_BOTH Place place(const Axis& axis, std::int64_t index, std::int64_t end) {
  if (index >= end) return {0, kOutside, kOutside};
  const auto number = static_cast<std::uint32_t>(index + axis.first);
  const auto fast_size = static_cast<std::uint32_t>(axis.fast.size);
  const auto middle_size = static_cast<std::uint32_t>(axis.middle.size);
  const std::uint32_t rest = number / fast_size;
  const int fast = static_cast<int>(number % fast_size);
  const int middle = static_cast<int>(rest % middle_size);
  const int slow = static_cast<int>(rest / middle_size);
  return {
      axis.origin + slow * axis.slow.stride + middle * axis.middle.stride + fast * axis.fast.stride,
      axis.row + slow * axis.slow.row + middle * axis.middle.row + fast * axis.fast.row,
      axis.column + slow * axis.slow.column + middle * axis.middle.column +
          fast * axis.fast.column};
}

/// A matrix of outer.size rows (or columns) and depth.size terms, one for each index of batch.
struct FactorAxes {
  Axis outer, depth, batch;
  int height = 1, width = 1;  // of the image; 1 where nothing has rows and columns
  bool depth_fast = true;     // neighbours in depth, not in outer, are neighbours in memory
};

/// Where the result's elements lie.
struct Result {
  Axis row, column, batch;
  std::int64_t split = 1;  // parts of the depth that are summed apart; the epilogue adds them up
};

/// A product of two operands of an op, known by their places in operands(op).
struct ProductAxes {
  FactorAxes a, b;
  Result result;
  std::size_t operand_a = 0;
  std::size_t operand_b = 1;
};

}  // namespace stepcast
