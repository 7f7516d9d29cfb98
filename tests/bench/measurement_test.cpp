// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement.hpp"

#include <gtest/gtest.h>

#include "bench/progress.hpp"

namespace stepcast {
namespace {

Op copy_of_1000() {
  Op op;
  op.shape = ElementsShape{1000};
  return op;
}

PlanTiming plan_timing(std::int64_t rank, double cold_s) {
  PlanTiming timing;
  timing.rank = rank;
  timing.facts = {"plan " + std::to_string(rank), "a note", 64};
  timing.verdict = {1000, 0, 0.5, ""};
  timing.kernels.kernels = 2;
  timing.cold.stop = Stop::quiet;
  timing.cold.summary.median = cold_s;
  timing.cold.summary.samples = 10;
  timing.cold.sm_clock_mhz = 1980;
  return timing;
}

TEST(MeasurementRows, FastestPlanHasAColdAndAHotRow) {
  Measurement measured;
  measured.plans_timed = 1;
  measured.best = plan_timing(0, 2e-6);
  measured.best.hot = measured.best.cold;
  measured.best.hot->summary.median = 1e-6;
  const auto result = rows(measured, copy_of_1000(), "r1");
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0].cache, "cold");
  EXPECT_EQ(result[0].median_s, 2e-6);
  EXPECT_EQ(result[0].sm_clock_mhz, 1980);
  EXPECT_EQ(result[0].least_bytes, 8000);  // 1000 fp32 read, 1000 written
  EXPECT_EQ(result[0].run, "r1");
  EXPECT_EQ(result[0].notes, "a note");
  EXPECT_EQ(result[0].math, "");  // a copy computes nothing
  EXPECT_EQ(result[0].stop, "quiet");
  EXPECT_EQ(result[0].kernels, 2);
  EXPECT_EQ(result[0].checked_elements, 1000);
  EXPECT_EQ(result[0].worst_error, 0.5);
  EXPECT_EQ(result[1].cache, "hot");
  EXPECT_EQ(result[1].median_s, 1e-6);
}

TEST(MeasurementRows, HeuristicsFirstHasARowWhereAnotherIsFaster) {
  Measurement measured;
  measured.plans_timed = 4;
  measured.best = plan_timing(3, 1e-6);
  measured.best.hot = measured.best.cold;
  measured.first = plan_timing(0, 2e-6);
  const auto result = rows(measured, copy_of_1000(), "r1");
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(result[0].plan_rank, 0);
  EXPECT_EQ(result[0].plan, "plan 0");
  EXPECT_EQ(result[1].plan_rank, 3);
  EXPECT_EQ(result[2].plan_rank, 3);
  EXPECT_EQ(result[2].cache, "hot");  // last: it says that the key is complete
  EXPECT_EQ(result[0].plans_timed, 4);
}

TEST(MeasurementRows, WhatWasNotTimedIsOneRowWithItsReason) {
  Measurement measured;
  measured.status = RowStatus::unsupported;
  measured.reason = "needs another GPU";
  const auto result = rows(measured, copy_of_1000(), "r1");
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result[0].status, RowStatus::unsupported);
  EXPECT_EQ(result[0].reason, "needs another GPU");
}

TEST(Progress, LineSaysWhatIsDoneAndLeft) {
  EXPECT_EQ(progress_line(0, 4, 0.0, "a"), "[                    ] 0/4  0 %  ETA -:--  a");
  // One of four in 30 s leaves 90 s.
  EXPECT_EQ(progress_line(1, 4, 30.0, "b"), "[#####               ] 1/4  25 %  ETA 1:30  b");
  EXPECT_EQ(progress_line(4, 4, 120.0, ""), "[####################] 4/4  100 %  ETA 0:00  ");
}

}  // namespace
}  // namespace stepcast
