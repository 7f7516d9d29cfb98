// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/timeline.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.hpp"

namespace stepcast {

namespace {

struct ComputePasses {
  Seconds forward, backward;
  std::map<std::int64_t, Seconds> ready;  // parameter to the end of the op that completes it
};

ComputePasses run_passes(std::span<const TimelineOp> ops) {
  ComputePasses passes;
  for (const TimelineOp& op : ops) {
    if (op.phase == Phase::forward) passes.forward += op.time;
    if (op.phase != Phase::backward) continue;
    passes.backward += op.time;
    for (const std::int64_t parameter : op.ready) {
      passes.ready[parameter] = passes.forward + passes.backward;
    }
  }
  return passes;
}

/// Start and end of every allreduce: once its bucket is complete and the one before has ended.
std::vector<BucketTimes> run_communication(std::span<const TimelineBucket> buckets,
                                           const std::map<std::int64_t, Seconds>& ready) {
  std::vector<BucketTimes> times;
  Seconds free;
  for (const TimelineBucket& bucket : buckets) {
    BucketTimes bucket_times;
    for (const std::int64_t parameter : bucket.parameters) {
      const auto found = ready.find(parameter);
      if (found == ready.end()) {
        throw DataError("recipe: no op of the backward pass makes parameter " +
                        std::to_string(parameter) + " ready");
      }
      bucket_times.ready = std::max(bucket_times.ready, found->second);
    }
    bucket_times.start = std::max(bucket_times.ready, free);
    bucket_times.end = bucket_times.start + bucket.allreduce;
    free = bucket_times.end;
    times.push_back(bucket_times);
  }
  return times;
}

/// Time of the copies out of each bucket. A copy of parameters from several buckets waits for the
/// last of them, and one of no parameter for all.
std::vector<Seconds> copy_out_times(std::span<const TimelineOp> ops,
                                    std::span<const TimelineBucket> buckets) {
  std::map<std::int64_t, std::size_t> bucket_of;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    for (const std::int64_t parameter : buckets[b].parameters) bucket_of[parameter] = b;
  }
  std::vector<Seconds> times(std::max<std::size_t>(buckets.size(), 1));
  for (const TimelineOp& op : ops) {
    if (op.phase != Phase::finalize) continue;
    std::size_t bucket = op.ready.empty() ? times.size() - 1 : 0;
    for (const std::int64_t parameter : op.ready) {
      const auto found = bucket_of.find(parameter);
      if (found != bucket_of.end()) bucket = std::max(bucket, found->second);
    }
    times[bucket] += op.time;
  }
  return times;
}

void check_order(std::span<const TimelineOp> ops) {
  Phase phase = Phase::forward;
  for (const TimelineOp& op : ops) {
    if (op.phase < phase) {
      throw DataError("recipe: an op of the " + std::string(enum_name(kPhaseNames, op.phase)) +
                      " pass follows one of " + std::string(enum_name(kPhaseNames, phase)));
    }
    phase = op.phase;
  }
}

}  // namespace

Timeline compose_timeline(std::span<const TimelineOp> ops,
                          std::span<const TimelineBucket> buckets) {
  check_order(ops);
  const ComputePasses passes = run_passes(ops);
  Timeline result;
  result.forward = passes.forward;
  result.backward = passes.backward;
  result.buckets = run_communication(buckets, passes.ready);

  Seconds now = passes.forward + passes.backward;
  const std::vector<Seconds> copies = copy_out_times(ops, buckets);
  for (std::size_t b = 0; b < copies.size(); ++b) {
    if (b < result.buckets.size()) {
      BucketTimes& bucket = result.buckets[b];
      bucket.exposed = std::max(Seconds(0), bucket.end - now);
      result.exposed += bucket.exposed;
      now = std::max(now, bucket.end);
    }
    result.finalize += copies[b];
    now += copies[b];
  }
  for (const TimelineOp& op : ops) {
    if (op.phase == Phase::optimizer) result.optimizer += op.time;
  }
  result.step = now + result.optimizer;
  return result;
}

}  // namespace stepcast
