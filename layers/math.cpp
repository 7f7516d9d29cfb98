// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/math.hpp"

#include <fmt/format.h>

namespace stepcast {

std::string math(const Op& op) {
  if (op.family == Family::increment) return std::string(name(op.in));
  switch (op_class(op.family)) {
    case OpClass::conv:
    case OpClass::gemm:
    case OpClass::attention:
      if (op.in == DType::fp32) return "fp32";
      return fmt::format("{0} x {0} + fp32", name(op.in));
    case OpClass::copy:
      return "";
    default:
      return "fp32";
  }
}

}  // namespace stepcast
