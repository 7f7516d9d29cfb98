// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/share.hpp"

#include <algorithm>
#include <string_view>

#include "core/bandwidth.hpp"
#include "layers/cost.hpp"

namespace stepcast {
namespace {

std::optional<double> ceiling(std::span<const CeilingRow> rows, std::string_view name,
                              std::string_view dtype) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CeilingRow& row) {
    return row.name == name && (dtype.empty() || row.dtype == dtype);
  });
  return found == rows.end() ? std::nullopt : std::optional(found->value);
}

bool on_matrix_units(const Op& op) {
  const OpClass group = op_class(op.family);
  return group == OpClass::conv || group == OpClass::gemm || group == OpClass::attention;
}

}  // namespace

std::optional<double> share_of_ceiling(std::span<const CeilingRow> ceilings,
                                       std::span<const Op> ops, Seconds time) {
  Seconds least;
  for (const Op& op : ops) {
    const Cost work = cost(op);
    const double written = work.written_bytes / work.least_bytes;
    const auto bandwidth = bandwidth_at(ceilings, written);
    if (!bandwidth) return std::nullopt;
    Seconds bound = work.least_bytes / *bandwidth;
    if (on_matrix_units(op)) {
      const auto rate = ceiling(ceilings, "matrix_rate", name(op.in));
      if (!rate) return std::nullopt;
      bound = std::max(bound, work.flop / FlopPerSecond(*rate));
    }
    least += bound;
  }
  return least / time;
}

}  // namespace stepcast
