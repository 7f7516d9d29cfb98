// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/fill.hpp"

#include <limits>
#include <random>

#include "layers/operands.hpp"

namespace stepcast {
namespace {

/// The next double in [0, 1). The standard's distributions differ between libraries.
double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

double value(const Operand& operand, std::mt19937_64& random) {
  switch (operand.fill) {
    case Fill::uniform:
      return 2.0 * unit(random) - 1.0;
    case Fill::positive:
      return 0.5 + unit(random);
    case Fill::label:
      return static_cast<double>(random() % static_cast<std::uint64_t>(operand.limit));
    case Fill::zero:
      return 0.0;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Tensors filled(const Op& op, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensors tensors;
  for (const Operand& operand : operands(op)) {
    auto& tensor = tensors.emplace_back(static_cast<std::size_t>(operand.count),
                                        std::numeric_limits<double>::quiet_NaN());
    if (operand.role != Role::input && operand.role != Role::in_out) continue;
    for (double& element : tensor) element = value(operand, random);
  }
  return tensors;
}

}  // namespace stepcast
