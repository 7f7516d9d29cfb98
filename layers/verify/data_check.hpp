// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether an op's inputs hold the data that they are said to hold.

#include <string>

#include "layers/verify/references.hpp"

namespace stepcast {

/// Empty, or what is wrong with the data of the first operand that is not uniform as its Fill says:
/// its variance is off by more than a tenth (1/3 in [-1, 1], 1/12 in [0.5, 1.5]), or an element is
/// not finite. Operands of fewer than 1024 elements may have any variance.
std::string data_fault(const VerifyCase& checked);

}  // namespace stepcast
