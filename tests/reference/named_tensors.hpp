// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tensors of an op by the names that operands() gives them.

#include <string_view>
#include <vector>

#include "layers/operands.hpp"
#include "tests/reference/reference.hpp"

namespace stepcast {

class NamedTensors {
 public:
  /// Errors: DataError if the number of tensors or the size of one is not that of operands(op).
  NamedTensors(const Op& op, Tensors& tensors);

  /// Errors: DataError for a name that the op does not have.
  std::vector<double>& operator[](std::string_view name);

 private:
  std::vector<Operand> operands_;
  Tensors& tensors_;
};

}  // namespace stepcast
