// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A block's time beside the sum of its ops', and the parts of the difference.

#include <optional>
#include <span>
#include <string>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "core/profile.hpp"
#include "core/units.hpp"

namespace stepcast {

/// An op as it was timed alone.
struct Alone {
  std::int64_t rank = 0;  // of its fastest plan
  Seconds cold;
  Seconds hot;
};

/// What timing a block has given.
struct BlockTiming {
  RowStatus status = RowStatus::ok;
  std::string reason;
  Timing chained;  // each op reads what the op before wrote
  Timing apart;    // each op has operands of its own
};

/// The row of a block. `alone`: its ops, in order. `l2`: of the GPU.
BlockRow block_row(const Case& block, std::span<const Alone> alone, const BlockTiming& timing,
                   Bytes l2, const std::string& run);

/// Those of the cases that are blocks, of equal ones the first.
std::vector<Case> distinct_blocks(std::span<const Case> cases);

}  // namespace stepcast
