// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bandwidth ceiling at an op's own mix of reads and writes, from what a run measured.

#include <optional>
#include <span>

#include "core/profile.hpp"
#include "core/units.hpp"

namespace stepcast {

/// Bytes read plus bytes written a second, where `written_share` (0 to 1) of them are written: the
/// time of a byte is interpolated between the two nearest mixes among the rows
/// bandwidth_r<reads>w<writes> and copy_bandwidth (a mix of 1 to 1, of which the better counts).
/// Nothing where no row is a bandwidth.
std::optional<BytesPerSecond> bandwidth_at(std::span<const CeilingRow> rows, double written_share);

}  // namespace stepcast
