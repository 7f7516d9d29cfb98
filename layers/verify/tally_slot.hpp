// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What comparing an operand has found, as the device counts it and as a verdict says it.

#include <limits>
#include <span>

#include "layers/operands.hpp"
#include "layers/verify/verdict.hpp"

namespace stepcast {

/// What all threads found in one operand.
struct TallySlot {
  unsigned long long checked = 0;
  unsigned long long wrong = 0;
  long long first = std::numeric_limits<long long>::max();  // lowest index of a wrong element
  double got = 0, want = 0, allowed = 0;                    // of that element
  unsigned worst = 0;  // bits of a float that is not negative: they ascend as the numbers do
  unsigned lock = 0;   // of first, got, want and allowed
};

/// slots[i] belongs to operands[i]. An operand that the op writes and that was not compared in full
/// is a fault.
Verdict verdict_of(std::span<const Operand> operands, std::span<const TallySlot> slots);

}  // namespace stepcast
