// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "roofline/origin.hpp"

namespace stepcast {

namespace {

constexpr std::size_t kNamedMissingOps = 3;

[[noreturn]] void refuse_missing(StepPredictor& predictor, std::int64_t batch,
                                 const ProfileData& profile) {
  const TimedOps& timed = predictor.timed(batch);
  std::string text = fmt::format("{}: {} of {} ops of {} have no time:", profile.folder().string(),
                                 timed.missing.size(), timed.counts.distinct,
                                 case_text(predictor.predicted(), profile));
  for (std::size_t i = 0; i < std::min(timed.missing.size(), kNamedMissingOps); ++i) {
    text += fmt::format("\n  {} ({})", timed.missing[i].key, timed.missing[i].why);
  }
  if (timed.missing.size() > kNamedMissingOps) text += "\n  ...";
  text += fmt::format("\nmeasure them: {}\nor let them take their bound: --allow-bounds",
                      predictor.measure_command(batch));
  throw DataError(text);
}

std::string origin_counts(const OpCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.by_origin.size(); ++i) {
    if (counts.by_origin[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", counts.by_origin[i], name(static_cast<Origin>(i)));
  }
  return text;
}

std::string ops_text(const Prediction& prediction) {
  const OpCounts& counts = prediction.base.counts;
  std::string text =
      fmt::format("{} distinct, {} runs, {} kernels a step at batch {}: {} ({} cold, {} hot)",
                  counts.distinct, counts.executions, counts.kernels, prediction.request.batch,
                  origin_counts(counts), counts.cold, counts.hot);
  if (counts.other_cache > 0) {
    text += fmt::format("; {} took the other cache mode's time, theirs was not measured",
                        counts.other_cache);
  }
  return text;
}

std::string not_measured_text(const ProfileData& profile) {
  std::string parts;
  for (const std::string& part : profile.not_measured()) {
    parts += (parts.empty() ? "" : " and ") + part;
  }
  return parts;
}

std::string buckets_text(const Prediction& prediction) {
  const Case& predicted = prediction.request.predicted;
  double bytes = 0;
  for (const BucketReport& bucket : prediction.first.buckets) bytes += bucket.payload.count();
  return fmt::format("{} of fp32 gradients, {:.1f} MB; caps {} and {} MiB, {} order",
                     prediction.first.buckets.size(), bytes / 1e6,
                     predicted.buckets.first_cap / mib(1), predicted.buckets.cap / mib(1),
                     enum_name(kBucketOrderNames, predicted.order));
}

}  // namespace

std::string case_text(const Case& predicted, const ProfileData& profile) {
  const RecipeOptions& recipe = predicted.recipe;
  return fmt::format("{} {} {} {}x{}, {} {}, on {}", predicted.model.name, name(recipe.precision),
                     name(recipe.layout), predicted.model.image_size, predicted.model.image_size,
                     enum_name(kRecipeNames, recipe.kind), recipe.ddp ? "with DDP" : "without DDP",
                     profile.machine().gpu);
}

Prediction predict(const PredictionRequest& request, const ProfileData& profile,
                   const AllreduceTable& allreduce) {
  const OpTimes times(profile, request.allow_bounds);
  StepPredictor predictor(request.predicted, times, allreduce);
  if (!predictor.timed(request.batch).missing.empty()) {
    refuse_missing(predictor, request.batch, profile);
  }
  Prediction prediction{request,
                        weak_scaling(predictor, request.batch, request.ranks),
                        strong_scaling(predictor, request.global_batch, request.ranks),
                        predictor.timed(request.batch),
                        std::get<Step>(predictor.step(request.batch, 1)),
                        {},
                        1};
  prediction.last = prediction.first;
  for (const ScalingRow& row : prediction.weak) {
    const auto* step = std::get_if<Step>(&row.step);
    if (step == nullptr || row.ranks < prediction.last_ranks) continue;
    prediction.last = *step;
    prediction.last_ranks = row.ranks;
  }
  return prediction;
}

std::vector<Note> prediction_notes(const Prediction& prediction, const ProfileData& profile,
                                   const AllreduceSource& allreduce) {
  const MachineRecord& machine = profile.machine();
  std::vector<Note> notes;
  notes.push_back(
      {"origins", "m from measured parts only, f with a fitted allreduce, b with bounds"});
  notes.push_back({"efficiency",
                   "weak T_1 / T_N, strong T_1 / (N T_N); T_1 is one rank of the same recipe. null "
                   "step: what it would be if ranks cost nothing"});
  if (const std::string parts = not_measured_text(profile); !parts.empty()) {
    notes.push_back(
        {"not_measured", parts + ": steps of many small kernels take longer than this"});
  }
  notes.push_back({"ops", ops_text(prediction)});
  if (prediction.request.predicted.recipe.ddp) {
    notes.push_back({"buckets", buckets_text(prediction)});
    notes.push_back({"allreduce", allreduce.tools.empty() ? "not measured" : allreduce.tools});
    if (prediction.last_ranks > 1 && allreduce.table.fabric() == Fabric::unknown) {
      notes.push_back({"fabric",
                       "not stated (--fabric, --topology): numbers of GPUs that were not measured "
                       "are fitted as if all links led to switches"});
    }
  }
  notes.push_back(
      {"machine", machine.gpu + (machine.libraries.empty() ? "" : ", ") + machine.libraries});
  notes.push_back(
      {"profile",
       fmt::format("{}, method {}", profile.folder().string(),
                   machine.method_version.empty() ? "not recorded" : machine.method_version)});
  return notes;
}

}  // namespace stepcast
