// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/step.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/error.hpp"
#include "layers/cost.hpp"
#include "roofline/origin.hpp"

namespace stepcast {

namespace {

void count_distinct(const OpTime& op_time, OpCounts& counts) {
  ++counts.by_origin[static_cast<std::size_t>(op_time.origin)];
  if (op_time.cache == "cold") ++counts.cold;
  if (op_time.cache == "hot") ++counts.hot;
  if (op_time.other_cache) ++counts.other_cache;
}

}  // namespace

TimedOps time_ops(const Model& model, const RecipeOptions& options, const OpTimes& times) {
  TimedOps result;
  std::map<std::string, std::optional<OpTime>> known;
  for (PlacedOp& placed : step_ops(model, options)) {
    const std::string op_key = key(placed.op);
    auto found = known.find(op_key);
    if (found == known.end()) {
      found = known.emplace(op_key, times.find(placed.op)).first;
      ++result.counts.distinct;
      if (found->second) {
        count_distinct(*found->second, result.counts);
      } else {
        const bool refused = times.profile().refusal(op_key) != nullptr;
        result.missing.push_back({op_key, times.why_missing(placed.op), refused});
      }
    }
    result.counts.executions += placed.count;
    result.counts.kernels += placed.count * kernels(placed.op);
    if (!found->second) continue;
    const OpTime& op_time = *found->second;
    const Seconds total = op_time.time * static_cast<double>(placed.count);
    result.ops.push_back({std::move(placed), op_time, total});
  }
  return result;
}

Step compose_step(const TimedOps& timed, const std::vector<ModelBucket>& buckets,
                  std::int64_t ranks, const AllreduceTable& allreduce) {
  if (!timed.missing.empty()) {
    throw DataError(timed.missing.front().key + ": " + timed.missing.front().why);
  }
  if (ranks > 1 && buckets.empty()) {
    throw DataError("ranks: " + std::to_string(ranks) + " ranks without DDP have no step");
  }
  Step step;
  std::vector<TimelineOp> ops;
  ops.reserve(timed.ops.size());
  for (const TimedOp& op : timed.ops) {
    ops.push_back({op.total, op.placed.phase, op.placed.ready});
    step.by_class[static_cast<std::size_t>(op_class(op.placed.op.family))] += op.total;
    Origin& origin = step.phase_origin[static_cast<std::size_t>(op.placed.phase)];
    origin = weaker(origin, op.op_time.origin);
  }
  std::vector<TimelineBucket> stream;
  for (const ModelBucket& bucket : buckets) {
    AllreduceEstimate estimate = allreduce.time(ranks, bucket.payload);
    step.exposed_origin = weaker(step.exposed_origin, estimate.origin);
    stream.push_back({bucket.parameters, estimate.time});
    step.buckets.push_back({bucket.payload, std::move(estimate), {}});
  }
  step.timeline = compose_timeline(ops, stream);
  for (std::size_t b = 0; b < step.buckets.size(); ++b) {
    step.buckets[b].times = step.timeline.buckets[b];
  }
  // What is exposed follows from when the backward pass makes buckets ready, too.
  const Origin backward = step.phase_origin[static_cast<std::size_t>(Phase::backward)];
  step.exposed_origin = weaker(step.exposed_origin, backward);
  step.origin = step.exposed_origin;
  for (const Origin origin : step.phase_origin) step.origin = weaker(step.origin, origin);
  return step;
}

Dominant dominant(const Step& step) {
  const auto largest = std::max_element(step.by_class.begin(), step.by_class.end());
  const auto op_class = static_cast<OpClass>(largest - step.by_class.begin());
  if (step.timeline.exposed > *largest) {
    return {"communication", step.timeline.exposed / step.timeline.step};
  }
  return {std::string(name(op_class)), *largest / step.timeline.step};
}

}  // namespace stepcast
