// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensors of an op, filled as its operands ask.

#include <cstdint>

#include "tests/reference/reference.hpp"

namespace stepcast {

/// Inputs and in_out operands filled by their Fill, the same for the same seed; outputs and derived
/// operands NaN, so that what is not computed shows.
Tensors filled(const Op& op, std::uint64_t seed);

}  // namespace stepcast
