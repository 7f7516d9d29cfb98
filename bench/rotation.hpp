// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rotation: how cold samples go round several sets of an op's operands, so that what an execution
// reads has been pushed out of the L2 cache by the executions before it.

#include <cstdint>

#include "core/units.hpp"

namespace stepcast {

/// Sets of `footprint` each such that all but one hold `flush` together; at least 2, at most
/// `most`.
std::int64_t rotation_sets(Bytes footprint, Bytes flush, std::int64_t most);

/// A sample: an execution that is not timed, then those that are. Execution i, from 0, works on set
/// i modulo the number of sets.
struct RotationGroup {
  std::int64_t executions = 1;  // that are timed
  bool flush = false;           // the cache is flushed before the group
};

/// Two places each have `sets` sets of their own; samples alternate between them, so that what a
/// time owes to where its operands lie is seen, and partly averaged.
struct Rotation {
  std::int64_t sets = 1;
  std::int64_t places = 1;
  Bytes footprint;  // of one set
  Bytes flush;      // that must pass through the cache until a set is used again
};

/// Whole rounds over the sets, as many as take `group_time` at `one` for an execution, rounded down
/// to a power of two; the last set of a group is the last of a round, so that the next group may
/// follow at once. Where the sets are too small to push each other out, or a round takes more than
/// twice `group_time`: a part of one round behind a flush. `most`: executions of a group.
RotationGroup rotation_group(const Rotation& rotation, Seconds one, Seconds group_time,
                             std::int64_t most);

}  // namespace stepcast
