// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <variant>

#include "layers/verify/product_axes.hpp"

namespace stepcast {
namespace {

/// outer x depth, or stored the other way round, depth x outer.
FactorAxes matrix(std::int64_t outer, std::int64_t depth, bool transposed) {
  FactorAxes axes;
  axes.outer = make_axis({outer, transposed ? 1 : depth});
  axes.depth = make_axis({depth, transposed ? outer : 1});
  axes.depth_fast = !transposed;
  return axes;
}

Result row_major(std::int64_t rows, std::int64_t columns) {
  return {make_axis({rows, columns}), make_axis({columns, 1}), Axis{}};
}

}  // namespace

ProductAxes gemm_product(const Op& op) {
  const auto& s = std::get<GemmShape>(op.shape);
  const bool fp8 = op.in == DType::e4m3;
  if (op.family == Family::gemm_fprop) {
    return {matrix(s.m, s.k, false), matrix(s.n, s.k, false), row_major(s.m, s.n)};
  }
  if (op.family == Family::gemm_dgrad) {
    return {matrix(s.m, s.n, false), matrix(s.k, s.n, !fp8), row_major(s.m, s.k)};
  }
  return {matrix(s.n, s.m, !fp8), matrix(s.k, s.m, !fp8), row_major(s.n, s.k)};
}

}  // namespace stepcast
