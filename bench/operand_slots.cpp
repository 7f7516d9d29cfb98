// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/operand_slots.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/dtype.hpp"
#include "layers/operands.hpp"

namespace stepcast {
namespace {

struct Result {
  DType type;
  std::int64_t count;
  std::size_t slot;
};

std::optional<std::size_t> latest(const std::vector<Result>& results, const Operand& operand,
                                  const std::vector<std::size_t>& taken) {
  const auto found = std::find_if(results.rbegin(), results.rend(), [&](const Result& result) {
    return result.type == operand.type && result.count == operand.count &&
           std::find(taken.begin(), taken.end(), result.slot) == taken.end();
  });
  return found == results.rend() ? std::nullopt : std::optional(found->slot);
}

}  // namespace

OperandSlots operand_slots(std::span<const Op> ops, bool chained) {
  OperandSlots slots;
  std::vector<Result> results;
  for (const Op& op : ops) {
    std::vector<std::size_t> taken;
    std::vector<Result> written;
    for (const Operand& operand : operands(op)) {
      std::optional<std::size_t> slot;
      if (chained && operand.role == Role::input) slot = latest(results, operand, taken);
      if (!slot) {
        slot = slots.bytes.size();
        slots.bytes.push_back(
            static_cast<std::size_t>(operand.count * element_bytes(operand.type)));
      }
      taken.push_back(*slot);
      if (operand.role == Role::output) written.push_back({operand.type, operand.count, *slot});
    }
    results.insert(results.end(), written.begin(), written.end());
    slots.of_op.push_back(std::move(taken));
  }
  return slots;
}

}  // namespace stepcast
