// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which operands of a block's ops lie in one piece of memory.

#include <cstddef>
#include <span>
#include <vector>

#include "layers/op.hpp"

namespace stepcast {

struct OperandSlots {
  std::vector<std::vector<std::size_t>> of_op;  // by op, then operand: its slot
  std::vector<std::size_t> bytes;               // by slot
};

/// A slot for each operand. Where `chained`, an input is in the slot of the latest result before it
/// that has its type and size and that no other operand of its op is in; inputs without such a
/// result, and all that is derived or updated in place, have slots of their own.
OperandSlots operand_slots(std::span<const Op> ops, bool chained);

}  // namespace stepcast
