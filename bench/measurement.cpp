// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "layers/cost.hpp"
#include "layers/math.hpp"

namespace stepcast {
namespace {

OpRow plan_row(OpRow row, std::int64_t rank, const PlanFacts& facts) {
  row.cache = "cold";
  row.plan_rank = rank;
  row.plan = facts.plan;
  row.notes = facts.notes;
  row.workspace_bytes = facts.workspace_bytes;
  return row;
}

OpRow timed_row(const OpRow& common, const PlanTiming& plan, const Timing& timing,
                const char* cache) {
  OpRow row = plan_row(common, plan.rank, plan.facts);
  row.cache = cache;
  row.median_s = timing.summary.median;
  row.p25_s = timing.summary.p25;
  row.p75_s = timing.summary.p75;
  row.min_s = timing.summary.min;
  row.p95_s = timing.summary.p95;
  row.samples = timing.summary.samples;
  row.executions = timing.executions;
  row.noise = timing.summary.noise;
  row.median_error = timing.summary.median_error;
  row.drift = timing.drift;
  row.place_difference = timing.place_difference;
  row.stop = std::string(enum_name(kStopNames, timing.stop));
  row.unstable = timing.unstable;
  row.launch = timing.by_graph ? "graph" : "stream";
  row.sm_clock_mhz = timing.sm_clock_mhz;
  row.checked_elements = plan.verdict.checked;
  row.worst_error = plan.verdict.worst;
  row.kernels = plan.kernels.kernels;
  row.conversion_share = plan.kernels.conversion_share;
  return row;
}

}  // namespace

std::vector<OpRow> rows(const Measurement& measurement, const Op& op, const std::string& run) {
  OpRow common;
  common.key = key(op);
  common.run = run;
  common.cache = "cold";
  common.status = measurement.status;
  common.reason = measurement.reason;
  common.math = math(op);
  const Cost work = cost(op);
  common.flop = work.flop.count();
  common.least_bytes = work.least_bytes.count();
  common.written_bytes = work.written_bytes.count();
  common.plans_timed = measurement.plans_timed;

  std::vector<OpRow> result;
  for (const Rejected& rejected : measurement.rejected) {
    OpRow row = plan_row(common, rejected.rank, rejected.facts);
    row.status = RowStatus::failed;
    row.reason = rejected.reason;
    result.push_back(row);
  }
  if (measurement.status != RowStatus::ok) {
    // A rejected first plan's row says it already.
    const bool said = std::any_of(measurement.rejected.begin(), measurement.rejected.end(),
                                  [](const Rejected& rejected) { return rejected.rank == 0; });
    if (!said || measurement.status != RowStatus::failed) result.push_back(common);
    return result;
  }
  if (measurement.first) {
    result.push_back(timed_row(common, *measurement.first, measurement.first->cold, "cold"));
  }
  result.push_back(timed_row(common, measurement.best, measurement.best.cold, "cold"));
  if (measurement.best.hot) {
    result.push_back(timed_row(common, measurement.best, *measurement.best.hot, "hot"));
  }
  return result;
}

}  // namespace stepcast
