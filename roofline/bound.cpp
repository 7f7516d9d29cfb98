// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/bound.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace stepcast {

namespace {

bool runs_on_matrix_units(OpClass op_class) {
  return op_class == OpClass::conv || op_class == OpClass::gemm || op_class == OpClass::attention;
}

}  // namespace

Seconds bound(const Op& op, const Cost& cost, const Ceilings& ceilings) {
  const auto bandwidth = ceilings.bandwidth(cost.written_bytes / cost.least_bytes);
  if (!bandwidth) throw DataError("ceilings.csv: copy_bandwidth was not measured");
  const Seconds memory_bound = cost.least_bytes / *bandwidth;
  if (runs_on_matrix_units(op_class(op.family))) {
    const auto rate = ceilings.matrix_rate(op.in);
    if (!rate) {
      throw DataError("ceilings.csv: matrix_rate of " + std::string(name(op.in)) +
                      " was not measured");
    }
    return std::max(memory_bound, Seconds(cost.flop / *rate));
  }
  // Elementwise work is far below the vector units' rate; without that ceiling traffic decides.
  if (const auto rate = ceilings.vector_rate(DType::fp32)) {
    return std::max(memory_bound, Seconds(cost.flop / *rate));
  }
  return memory_bound;
}

}  // namespace stepcast
