// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/explain.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "layers/cost.hpp"
#include "roofline/origin.hpp"

namespace stepcast {

namespace {

struct ClassSum {
  std::int64_t executions = 0, kernels = 0;
  Seconds time;
  Origin origin = Origin::measured;
};

}  // namespace

Table class_table(const TimedOps& timed, const Step& step) {
  std::map<std::pair<Phase, OpClass>, ClassSum> sums;
  for (const TimedOp& op : timed.ops) {
    ClassSum& sum = sums[{op.placed.phase, op_class(op.placed.op.family)}];
    sum.executions += op.placed.count;
    sum.kernels += op.placed.count * kernels(op.placed.op);
    sum.time += op.total;
    sum.origin = weaker(sum.origin, op.op_time.origin);
  }
  Table table{"",
              {{"phase", "phase"},
               {"class", "class"},
               {"ops", "executions"},
               {"kernels", "kernels"},
               {"time", "time_ms", 3, false, true},
               {"share", "share", 1, true}},
              {}};
  for (const auto& [place, sum] : sums) {
    table.rows.push_back({word_cell(enum_name(kPhaseNames, place.first)),
                          word_cell(name(place.second)), whole_cell(sum.executions),
                          whole_cell(sum.kernels), number_cell(sum.time.count() * 1e3, sum.origin),
                          number_cell(sum.time / step.timeline.step)});
  }
  return table;
}

Table bucket_table(const Step& step) {
  Table table{"",
              {{"bucket", "bucket"},
               {"MB", "payload_mb", 2},
               {"ready", "ready_ms", 3},
               {"start", "start_ms", 3},
               {"allreduce", "allreduce_ms", 3, false, true},
               {"low", "allreduce_low_ms", 3},
               {"high", "allreduce_high_ms", 3},
               {"end", "end_ms", 3},
               {"exposed", "exposed_ms", 3},
               {"", "note"}},
              {}};
  for (std::size_t b = 0; b < step.buckets.size(); ++b) {
    const BucketReport& bucket = step.buckets[b];
    table.rows.push_back(
        {whole_cell(static_cast<std::int64_t>(b) + 1), number_cell(bucket.payload.count() / 1e6),
         number_cell(bucket.times.ready.count() * 1e3),
         number_cell(bucket.times.start.count() * 1e3),
         number_cell(bucket.allreduce.time.count() * 1e3, bucket.allreduce.origin),
         number_cell(bucket.allreduce.low.count() * 1e3),
         number_cell(bucket.allreduce.high.count() * 1e3),
         number_cell(bucket.times.end.count() * 1e3),
         number_cell(bucket.times.exposed.count() * 1e3), word_cell(bucket.allreduce.note)});
  }
  return table;
}

}  // namespace stepcast
