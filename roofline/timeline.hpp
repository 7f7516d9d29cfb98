// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One step of one rank in time: the compute stream runs its ops in order, the communication stream
// reduces the buckets one after the other, and the compute stream waits for each of them before it
// copies that bucket's gradients out.

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

/// An op on the compute stream.
struct TimelineOp {
  Seconds time;  // of all its executions here
  Phase phase = Phase::forward;
  std::span<const std::int64_t> ready;  // as in PlacedOp
};

/// A bucket on the communication stream.
struct TimelineBucket {
  std::vector<std::int64_t> parameters;  // whose gradients it holds
  Seconds allreduce;
};

/// When a bucket's last gradient was copied in, and when its allreduce ran; from the step's begin.
struct BucketTimes {
  Seconds ready, start, end;
  Seconds exposed;  // time that the compute stream waited for it
};

/// The parts add up: forward + backward + exposed + finalize + optimizer = step.
struct Timeline {
  Seconds forward, backward;
  Seconds exposed;  // compute stream idle, waiting for allreduce
  Seconds finalize, optimizer;
  Seconds step;
  std::vector<BucketTimes> buckets;
};

/// Shapes:  buckets in the order in which they are reduced.
/// Errors:  DataError if ops are not ordered forward, backward, finalize, optimizer, or no op of
///          the backward pass makes a bucket's parameter ready.
/// Source:  docs/model.md, "Timeline"; order of events as in PyTorch's DistributedDataParallel.
Timeline compose_timeline(std::span<const TimelineOp> ops, std::span<const TimelineBucket> buckets);

}  // namespace stepcast
