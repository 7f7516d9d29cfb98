// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/tally_slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stepcast {
namespace {

bool written(const Operand& operand) {
  return operand.role == Role::output || operand.role == Role::in_out;
}

std::string fault(const Operand& operand, const TallySlot& slot) {
  if (slot.wrong > 0) {
    return fmt::format("{}[{}] is {}, wanted {} within {:.3g}; {} of {} elements are wrong",
                       operand.name, slot.first, slot.got, slot.want, slot.allowed, slot.wrong,
                       slot.checked);
  }
  if (slot.checked != static_cast<unsigned long long>(operand.count)) {
    return fmt::format("{}: {} of {} elements were compared", operand.name, slot.checked,
                       operand.count);
  }
  return {};
}

}  // namespace

Verdict verdict_of(std::span<const Operand> operands, std::span<const TallySlot> slots) {
  Verdict verdict;
  for (std::size_t place = 0; place < slots.size(); ++place) {
    const TallySlot& slot = slots[place];
    if (!written(operands[place])) continue;
    verdict.checked += static_cast<std::int64_t>(slot.checked);
    verdict.wrong += static_cast<std::int64_t>(slot.wrong);
    verdict.worst = std::max(verdict.worst, static_cast<double>(std::bit_cast<float>(slot.worst)));
    if (verdict.fault.empty()) verdict.fault = fault(operands[place], slot);
  }
  return verdict;
}

}  // namespace stepcast
