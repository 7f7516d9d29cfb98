// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/ceiling.hpp"

#include <algorithm>

namespace stepcast {

std::optional<double> Ceilings::value(std::string_view name, std::string_view dtype) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const CeilingRow& row) {
    return row.name == name && (dtype.empty() || row.dtype == dtype);
  });
  if (found == rows_.end()) return std::nullopt;
  return found->value;
}

std::optional<FlopPerSecond> Ceilings::matrix_rate(DType type) const {
  if (const auto found = value("matrix_rate", name(type))) return FlopPerSecond(*found);
  return std::nullopt;
}

std::optional<FlopPerSecond> Ceilings::vector_rate(DType type) const {
  if (const auto found = value("vector_rate", name(type))) return FlopPerSecond(*found);
  return std::nullopt;
}

}  // namespace stepcast
