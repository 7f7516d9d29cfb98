// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/scaling.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace stepcast {

namespace {

constexpr std::int64_t kUsualImageSize =
    224;  // what is measured unless something else is asked for

}  // namespace

StepPredictor::StepPredictor(Case predicted, const OpTimes& times, const AllreduceTable& allreduce)
    : case_(std::move(predicted)), times_(&times), allreduce_(&allreduce) {}

const TimedOps& StepPredictor::timed(std::int64_t batch) {
  const auto known = timed_.find(batch);
  if (known != timed_.end()) return known->second;
  RecipeOptions options = case_.recipe;
  options.batch = batch;
  return timed_.emplace(batch, time_ops(case_.model, options, *times_)).first->second;
}

std::string StepPredictor::measure_command(std::int64_t batch) const {
  std::string command =
      fmt::format("stepcast measure --out {} --models {} --precisions {} --layouts {} --batches {}",
                  times_->profile().folder().string(), case_.model.name,
                  name(case_.recipe.precision), name(case_.recipe.layout), batch);
  if (case_.model.image_size != kUsualImageSize) {
    command += fmt::format(" --image-size {}", case_.model.image_size);
  }
  if (case_.recipe.kind != RecipeKind::eager) {
    command += fmt::format(" --recipes {}", enum_name(kRecipeNames, case_.recipe.kind));
  }
  return command;
}

std::string StepPredictor::why_no_ops(std::int64_t batch) {
  const TimedOps& ops = timed(batch);
  if (ops.missing.empty()) return "";
  for (const MissingOp& op : ops.missing) {
    // Measuring again would not help.
    if (op.refused) return fmt::format("not measured: {}: {}", op.key, op.why);
  }
  return fmt::format("not measured: batch {} ({})", batch, measure_command(batch));
}

StepOrReason StepPredictor::step(std::int64_t batch, std::int64_t ranks) {
  if (std::string reason = why_no_ops(batch); !reason.empty()) return reason;
  if (ranks > 1 && allreduce_->empty()) {
    return fmt::format(
        "not measured: allreduce over {} ranks (stepcast-comm --profile {} on two GPUs or more; or "
        "--allreduce FILE)",
        ranks, times_->profile().folder().string());
  }
  if (std::string reason = allreduce_->refusal(ranks); !reason.empty()) {
    return "not measured: " + reason;
  }
  std::vector<ModelBucket> buckets;
  if (case_.recipe.ddp) {
    std::vector<PlacedOp> placed;
    for (const TimedOp& op : timed(batch).ops) placed.push_back(op.placed);
    buckets = plan_buckets(case_.model, placed, case_.order, case_.buckets);
  }
  return compose_step(timed(batch), buckets, ranks, *allreduce_);
}

namespace {

std::optional<Seconds> step_time(const StepOrReason& step) {
  if (const auto* known = std::get_if<Step>(&step)) return known->timeline.step;
  return std::nullopt;
}

}  // namespace

std::vector<ScalingRow> weak_scaling(StepPredictor& predictor, std::int64_t batch,
                                     const std::vector<std::int64_t>& ranks) {
  const std::optional<Seconds> one_rank = step_time(predictor.step(batch, 1));
  std::vector<ScalingRow> rows;
  for (const std::int64_t n : ranks) {
    ScalingRow row{Scaling::weak, n, batch, predictor.step(batch, n), one_rank, std::nullopt};
    const std::optional<Seconds> time = step_time(row.step);
    if (one_rank && time) row.efficiency = *one_rank / *time;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ScalingRow> strong_scaling(StepPredictor& predictor, std::int64_t global_batch,
                                       const std::vector<std::int64_t>& ranks) {
  for (const std::int64_t n : ranks) {
    if (global_batch % n != 0) {
      throw DataError(
          fmt::format("global batch: {} images do not divide over {} ranks", global_batch, n));
    }
  }
  const std::optional<Seconds> one_rank = step_time(predictor.step(global_batch, 1));
  std::vector<ScalingRow> rows;
  for (const std::int64_t n : ranks) {
    const std::int64_t batch = global_batch / n;
    ScalingRow row{Scaling::strong, n, batch, predictor.step(batch, n), std::nullopt, std::nullopt};
    const auto count = static_cast<double>(n);
    if (one_rank) row.null_step = *one_rank / count;
    const std::optional<Seconds> time = step_time(row.step);
    if (one_rank && time) row.efficiency = *one_rank / (count * *time);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stepcast
