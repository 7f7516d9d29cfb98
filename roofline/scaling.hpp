// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Weak and strong scaling of one case: a step for each number of ranks, beside the model that knows
// nothing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "comm/fit.hpp"
#include "core/units.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"
#include "roofline/bucket_plan.hpp"
#include "roofline/op_time.hpp"
#include "roofline/step.hpp"

namespace stepcast {

/// A model as it is trained, for any batch and number of ranks.
struct Case {
  Model model;
  RecipeOptions recipe;  // its batch is overruled
  BucketOptions buckets;
  BucketOrder order = BucketOrder::ready;
};

/// A step, or in words why there is none.
using StepOrReason = std::variant<Step, std::string>;

/// Steps of one case from one profile. Ops are timed once a batch.
class StepPredictor {
 public:
  /// `times` and `allreduce` must outlive this.
  StepPredictor(Case predicted, const OpTimes& times, const AllreduceTable& allreduce);

  /// The step of one of `ranks` ranks with `batch` images each.
  StepOrReason step(std::int64_t batch, std::int64_t ranks);

  const TimedOps& timed(std::int64_t batch);
  [[nodiscard]] const Case& predicted() const { return case_; }

  /// The command that would measure a batch of this case.
  [[nodiscard]] std::string measure_command(std::int64_t batch) const;

 private:
  std::string why_no_ops(std::int64_t batch);

  Case case_;
  const OpTimes* times_;
  const AllreduceTable* allreduce_;
  std::map<std::int64_t, TimedOps> timed_;
};

/// weak: each rank keeps its batch. strong: the global batch is divided.
enum class Scaling { weak, strong };

struct ScalingRow {
  Scaling kind = Scaling::weak;
  std::int64_t ranks = 1;
  std::int64_t batch = 1;            // images a rank
  StepOrReason step;                 // of this row
  std::optional<Seconds> null_step;  // weak T_1; strong T_1 / N
  std::optional<double> efficiency;  // weak T_1 / T_N; strong T_1 / (N T_N)
};

/// T_1 is the step of one rank with the same recipe, so wrapped in DDP where the recipe has DDP:
/// with `batch` images for weak scaling.
std::vector<ScalingRow> weak_scaling(StepPredictor& predictor, std::int64_t batch,
                                     const std::vector<std::int64_t>& ranks);

/// Errors: DataError if the global batch does not divide over one of the ranks.
std::vector<ScalingRow> strong_scaling(StepPredictor& predictor, std::int64_t global_batch,
                                       const std::vector<std::int64_t>& ranks);

}  // namespace stepcast
