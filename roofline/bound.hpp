// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The least time that measured ceilings allow an op.

#include "core/units.hpp"
#include "layers/cost.hpp"
#include "layers/op.hpp"
#include "roofline/ceiling.hpp"

namespace stepcast {

/// The larger of arithmetic at its peak rate and least bytes at copy bandwidth.
///
/// Convolution, matrix product and attention are held against the matrix rate of their input type,
/// the others against the fp32 vector rate, where one was measured.
/// Errors: DataError that names the ceiling that the op needs and the profile does not hold.
/// Source: docs/model.md, "Bound".
Seconds bound(const Op& op, const Cost& cost, const Ceilings& ceilings);

}  // namespace stepcast
