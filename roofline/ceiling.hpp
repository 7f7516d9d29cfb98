// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Peaks that the profile's own runs measured, as the bound needs them.

#include <optional>
#include <span>

#include "core/bandwidth.hpp"
#include "core/dtype.hpp"
#include "core/profile.hpp"
#include "core/units.hpp"

namespace stepcast {

class Ceilings {
 public:
  explicit Ceilings(std::span<const CeilingRow> rows) : rows_(rows) {}

  /// Bytes read plus bytes written over time, where this share of them is written.
  [[nodiscard]] std::optional<BytesPerSecond> bandwidth(double written_share) const {
    return bandwidth_at(rows_, written_share);
  }

  /// Rate of a large matrix product with operands of this type; a multiply-add is two FLOP.
  [[nodiscard]] std::optional<FlopPerSecond> matrix_rate(DType type) const;

  /// Rate of multiply-adds in this type outside the tensor cores.
  [[nodiscard]] std::optional<FlopPerSecond> vector_rate(DType type) const;

 private:
  [[nodiscard]] std::optional<double> value(std::string_view name, std::string_view dtype) const;

  std::span<const CeilingRow> rows_;  // outlive this
};

}  // namespace stepcast
