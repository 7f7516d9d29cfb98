// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How near a time comes to the ceilings that the same run measured.

#include <optional>
#include <span>

#include "core/profile.hpp"
#include "core/units.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// The least time that the ceilings allow the ops, one after the other, over `time`: 0 to 1. An op
/// needs the longer of its bytes at the bandwidth of its mix of reads and writes and, on the matrix
/// units, its FLOP at the matrix rate of its operands' type. Nothing where a ceiling that it needs
/// was not measured.
std::optional<double> share_of_ceiling(std::span<const CeilingRow> ceilings,
                                       std::span<const Op> ops, Seconds time);

}  // namespace stepcast
