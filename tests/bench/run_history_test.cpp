// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/run_history.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/csv.hpp"
#include "core/run_record.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

class RunHistory : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("STEPCAST_BENCH_RUN"); }

  void add_run(const nlohmann::json& run) { write_run(folder_.path("run.json"), run); }
  void add_ceiling(const std::string& run, double value) {
    CsvWriter out(folder_.path("ceilings.csv"), ceilings_schema());
    out.write(cells(CeilingRow{"copy_bandwidth", "", "bytes_per_s", value, 0.01, run, "a copy"}));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(RunHistory, FirstProcessContinuesNothing) {
  add_run({{"id", "r1"}});
  EXPECT_FALSE(continued_run(folder_.path("")));
}

TEST_F(RunHistory, NextProcessHasTheRunAndItsCeilingsAlone) {
  add_run({{"id", "r1"}, {"seconds", 3.0}});
  add_run({{"id", "r2"}, {"seconds", 5.0}});
  add_ceiling("r1", 1e12);
  add_ceiling("r2", 4e12);
  let_next_process_continue("r2");
  const auto continued = continued_run(folder_.path(""));
  ASSERT_TRUE(continued);
  EXPECT_EQ(continued->record.at("seconds"), 5.0);
  ASSERT_EQ(continued->ceilings.size(), 1U);
  EXPECT_EQ(continued->ceilings[0].value, 4e12);
}

TEST_F(RunHistory, RunOfAnotherProfileIsNotContinued) {
  add_run({{"id", "r1"}});
  let_next_process_continue("r9");
  EXPECT_FALSE(continued_run(folder_.path("")));
}

TEST_F(RunHistory, OneRunWithTheSustainedClockIsEnough) {
  EXPECT_FALSE(has_sustained_clock(folder_.path("")));
  add_run({{"id", "r0"}, {"sustained", nullptr}});  // its block could not run
  EXPECT_FALSE(has_sustained_clock(folder_.path("")));
  add_run({{"id", "r1"}, {"sustained", {{"sm_clock_mhz", 1600}}}});
  add_run({{"id", "r2"}});
  EXPECT_TRUE(has_sustained_clock(folder_.path("")));
}

}  // namespace
}  // namespace stepcast
