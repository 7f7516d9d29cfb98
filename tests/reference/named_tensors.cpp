// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/named_tensors.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace stepcast {

NamedTensors::NamedTensors(const Op& op, Tensors& tensors)
    : operands_(operands(op)), tensors_(tensors) {
  if (tensors.size() != operands_.size()) {
    throw DataError(fmt::format("{}: {} tensors given for {} operands", key(op), tensors.size(),
                                operands_.size()));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (static_cast<std::int64_t>(tensors[i].size()) != operands_[i].count) {
      throw DataError(fmt::format("{}: {} has {} elements and was given {}", key(op),
                                  operands_[i].name, operands_[i].count, tensors[i].size()));
    }
  }
}

std::vector<double>& NamedTensors::operator[](std::string_view name) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i].name == name) return tensors_[i];
  }
  throw DataError(fmt::format("{}: no operand of this name", name));
}

}  // namespace stepcast
