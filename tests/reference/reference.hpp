// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every op computes, on the CPU and in double: the judge of all plans. Nothing is rounded to
// an operand's type; a comparison's tolerance covers that.

#include <vector>

#include "layers/op.hpp"

namespace stepcast {

/// Tensors[i] holds the values of operands(op)[i], in the operand's own order in memory.
using Tensors = std::vector<std::vector<double>>;

/// Computes the outputs and updates what is in_out. Derived operands are read as they are: call
/// derive() first, or copy what the device derived.
///
/// Errors:  DataError if the tensors are not those of operands(op).
/// Source:  the equations stand above each function of families.hpp.
void reference(const Op& op, Tensors& tensors);

/// Computes the derived operands, what the forward pass left behind, from the inputs. Nothing for
/// an op that has none.
///
/// Errors:  as reference().
void derive(const Op& op, Tensors& tensors);

}  // namespace stepcast
