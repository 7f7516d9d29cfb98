// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement.hpp"

#include "layers/cost.hpp"

namespace stepcast {
namespace {

OpRow timed_row(OpRow row, const PlanTiming& plan, const Timing& timing, const char* cache) {
  row.cache = cache;
  row.plan_rank = plan.rank;
  row.plan = plan.plan;
  row.workspace_bytes = plan.workspace_bytes;
  row.median_s = timing.summary.median;
  row.p25_s = timing.summary.p25;
  row.p75_s = timing.summary.p75;
  row.min_s = timing.summary.min;
  row.p95_s = timing.summary.p95;
  row.samples = timing.summary.samples;
  row.noise = timing.summary.noise;
  row.sm_clock_mhz = timing.sm_clock_mhz;
  return row;
}

}  // namespace

std::vector<OpRow> rows(const Measurement& measurement, const Op& op, const std::string& run) {
  OpRow common;
  common.key = key(op);
  common.run = run;
  common.status = measurement.status;
  common.reason = measurement.reason;
  const Cost work = cost(op);
  common.flop = work.flop.count();
  common.least_bytes = work.least_bytes.count();
  common.plans_timed = measurement.plans_timed;
  if (measurement.status != RowStatus::ok) {
    common.cache = "cold";
    return {common};
  }
  std::vector<OpRow> result;
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
