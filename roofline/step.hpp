// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step out of timed pieces: the recipe's ops with their times, once for each batch, and the
// timeline that they and the allreduces of N ranks make.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/fit.hpp"
#include "layers/model.hpp"
#include "layers/op.hpp"
#include "layers/recipe.hpp"
#include "roofline/bucket_plan.hpp"
#include "roofline/op_time.hpp"
#include "roofline/timeline.hpp"

namespace stepcast {

/// A placed op with the time of all its executions here.
struct TimedOp {
  PlacedOp placed;
  OpTime op_time;
  Seconds total;
};

struct MissingOp {
  std::string key;
  std::string why;
  bool refused = false;  // the profile has a row that says so: unsupported or failed
};

/// Distinct ops by where their time came from.
struct OpCounts {
  std::int64_t distinct = 0, executions = 0, kernels = 0;
  std::array<std::int64_t, 4> by_origin{};  // distinct ops, by Origin
  std::int64_t cold = 0, hot = 0;           // distinct ops
  std::int64_t other_cache = 0;             // distinct ops that took the other cache mode's time
};

/// One rank's ops for one batch.
struct TimedOps {
  std::vector<TimedOp> ops;        // those with a time
  std::vector<MissingOp> missing;  // distinct, in the step's order
  OpCounts counts;
};

TimedOps time_ops(const Model& model, const RecipeOptions& options, const OpTimes& times);

struct BucketReport {
  Bytes payload;
  AllreduceEstimate allreduce;
  BucketTimes times;
};

struct Step {
  Timeline timeline;
  std::array<Seconds, kOpClassNames.size()> by_class{};  // compute time, by OpClass
  std::array<Origin, kPhaseNames.size()> phase_origin{};
  Origin exposed_origin = Origin::measured;
  Origin origin = Origin::measured;  // of the step
  std::vector<BucketReport> buckets;
};

/// The step of one of `ranks` ranks. One rank communicates nothing, though it pays DDP's copies.
/// `buckets` is empty without DDP.
/// Errors: DataError if an op is missing, or ranks > 1 and there are no buckets or no allreduce
/// times.
Step compose_step(const TimedOps& timed, const std::vector<ModelBucket>& buckets,
                  std::int64_t ranks, const AllreduceTable& allreduce);

/// What most of the step is: the op class or "communication" with the largest time, and its share.
struct Dominant {
  std::string name;
  double share = 0;
};
Dominant dominant(const Step& step);

}  // namespace stepcast
