// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The letters of each shape in a key, in order, with the member that each stands for.

#include <array>
#include <cstdint>
#include <string>

#include "layers/op.hpp"

namespace stepcast {

template <typename S>
struct ShapeField {
  char letter;
  std::int64_t S::*member;
  bool optional = false;  // left out of the key where it has its default
};

constexpr std::array<ShapeField<ConvShape>, 10> fields(const ConvShape&) {
  using S = ConvShape;
  return {{{'n', &S::n},
           {'c', &S::c},
           {'h', &S::h},
           {'w', &S::w},
           {'k', &S::k},
           {'r', &S::r},
           {'s', &S::s},
           {'u', &S::u},
           {'p', &S::p},
           {'g', &S::g, true}}};
}

constexpr std::array<ShapeField<GemmShape>, 3> fields(const GemmShape&) {
  using S = GemmShape;
  return {{{'m', &S::m}, {'n', &S::n}, {'k', &S::k}}};
}

constexpr std::array<ShapeField<AttentionShape>, 4> fields(const AttentionShape&) {
  using S = AttentionShape;
  return {{{'b', &S::b}, {'h', &S::h}, {'s', &S::s}, {'d', &S::d}}};
}

constexpr std::array<ShapeField<ImageShape>, 4> fields(const ImageShape&) {
  using S = ImageShape;
  return {{{'n', &S::n}, {'c', &S::c}, {'h', &S::h}, {'w', &S::w}}};
}

constexpr std::array<ShapeField<PoolShape>, 7> fields(const PoolShape&) {
  using S = PoolShape;
  return {{{'n', &S::n},
           {'c', &S::c},
           {'h', &S::h},
           {'w', &S::w},
           {'r', &S::r},
           {'u', &S::u},
           {'p', &S::p}}};
}

constexpr std::array<ShapeField<MatrixShape>, 2> fields(const MatrixShape&) {
  using S = MatrixShape;
  return {{{'m', &S::m}, {'n', &S::n}}};
}

constexpr std::array<ShapeField<ElementsShape>, 1> fields(const ElementsShape&) {
  return {{{'e', &ElementsShape::e}}};
}

constexpr std::array<ShapeField<TensorsShape>, 2> fields(const TensorsShape&) {
  using S = TensorsShape;
  return {{{'e', &S::e}, {'t', &S::t}}};
}

constexpr std::array<ShapeField<PermuteShape>, 3> fields(const PermuteShape&) {
  using S = PermuteShape;
  return {{{'a', &S::a}, {'b', &S::b}, {'c', &S::c}}};
}

/// `n32c64h56w56k64r3s3u1p1`.
std::string shape_text(const Shape& shape);

}  // namespace stepcast
