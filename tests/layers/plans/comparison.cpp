// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stepcast {
namespace {

double rms(std::span<const double> values) {
  if (values.empty()) return 0;
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

double epsilon(DType type) {
  switch (type) {
    case DType::fp32:
      return 0x1p-24;
    case DType::tf32:
    case DType::fp16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    case DType::e4m3:
      return 0x1p-4;
    case DType::int64:
    case DType::uint8:
      return 0;
  }
  return 0;
}

std::string difference(std::span<const double> got, std::span<const double> want,
                       const Tolerance& tolerance) {
  if (got.size() != want.size()) {
    return fmt::format("{} elements instead of {}", got.size(), want.size());
  }
  const double unit = tolerance.factor * tolerance.epsilon;
  const double floor = std::max(rms(want), tolerance.scale);
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double allowed = unit * (std::abs(want[i]) + floor);
    if (std::abs(got[i] - want[i]) <= allowed) continue;  // false for NaN
    if (wrong == 0) {
      first = fmt::format("[{}] is {}, wanted {} within {:.3g}", i, got[i], want[i], allowed);
    }
    ++wrong;
  }
  if (wrong == 0) return "";
  return fmt::format("{} of {} elements are wrong; {}", wrong, got.size(), first);
}

}  // namespace stepcast
