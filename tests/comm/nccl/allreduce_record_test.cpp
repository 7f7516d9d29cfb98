// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/allreduce_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "comm/nccl/progress_bar.hpp"
#include "core/error.hpp"
#include "core/run_record.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::TemporaryFolder;

const AllreduceCase kCase{DType::fp32, 28351488, true};

AllreduceTiming timing() {
  AllreduceTiming timing;
  timing.median = microseconds(118);
  timing.min_rank = microseconds(119);
  timing.mean_rank = microseconds(119.5);
  timing.max_rank = microseconds(120);
  timing.iterations = 50;
  return timing;
}

json run(const std::string& id, const std::string& uuid = "GPU-1") {
  return {{"id", id},
          {"program", "stepcast-comm"},
          {"method_version", kAllreduceMethodVersion},
          {"gpu", {{"name", "some GPU"}, {"uuid", uuid}, {"uuids", json::array({uuid, "GPU-2"})}}}};
}

TEST(AllreduceRecord, SlowestRankGivesTheBandwidths) {
  const AllreduceRow row = timed_row(kCase, timing(), 8);
  EXPECT_EQ(row.status, RowStatus::ok);
  EXPECT_DOUBLE_EQ(row.max_rank_s, 120e-6);
  EXPECT_DOUBLE_EQ(row.algbw_bytes_per_s, 28351488 / 120e-6);
  EXPECT_DOUBLE_EQ(row.busbw_bytes_per_s, 1.75 * 28351488 / 120e-6);
}

TEST(AllreduceRecord, OneRankHasNothingToCommunicate) {
  const AllreduceRow row = timed_row(kCase, timing(), 1);
  EXPECT_EQ(row.status, RowStatus::unsupported);
  EXPECT_EQ(row.reason, "no communication (1 rank)");
  EXPECT_EQ(row.max_rank_s, 0.0);
}

TEST(AllreduceRecord, WrongSumsFail) {
  AllreduceTiming wrong = timing();
  wrong.wrong_elements = 3;
  for (const int ranks : {1, 2}) {
    EXPECT_EQ(timed_row(kCase, wrong, ranks).status, RowStatus::failed);
    EXPECT_EQ(timed_row(kCase, wrong, ranks).reason, "3 wrong elements");
  }
}

TEST(AllreduceRecord, SecondRunFindsWhatTheFirstWrote) {
  const TemporaryFolder folder;
  const auto profile = folder.path("a/profile");
  {
    AllreduceRecord first(profile, run("r1"));
    EXPECT_FALSE(first.contains(kCase, 2));
    first.write(timed_row(kCase, timing(), 2));
    first.write(untimed_row({DType::fp32, 4, true}, RowStatus::failed, "why", 2));
    first.finish();
  }
  const AllreduceRecord second(profile, run("r2"));
  EXPECT_TRUE(second.contains(kCase, 2));
  EXPECT_FALSE(second.contains(kCase, 4));
  EXPECT_FALSE(second.contains({DType::bf16, 28351488, true}, 2));
  EXPECT_FALSE(second.contains({DType::fp32, 28351488, false}, 2));
  EXPECT_FALSE(second.contains({DType::fp32, 4, true}, 2)) << "what failed is tried again";
  const json runs = read_runs(profile / "run.json")["runs"];
  ASSERT_EQ(runs.size(), 1U) << "a run without rows is no run";
  EXPECT_EQ(runs[0]["id"], "r1");
  EXPECT_GT(runs[0]["seconds"], 0.0);
}

TEST(AllreduceRecord, RepetitionIsWrittenOnce) {
  const TemporaryFolder folder;
  AllreduceRecord record(folder.path("p"), run("r1"));
  record.write(timed_row(kCase, timing(), 2));
  record.write(timed_row(kCase, timing(), 2));
  const auto rows = read_allreduce(folder.path("p/allreduce.csv"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].run, "r1");
}

TEST(AllreduceRecord, OtherToolsAndMethodsDoNotCount) {
  const TemporaryFolder folder;
  json older = run("r1");
  older["method_version"] = kAllreduceMethodVersion + 1;
  AllreduceRecord(folder.path("p"), older).write(timed_row(kCase, timing(), 2));
  EXPECT_FALSE(AllreduceRecord(folder.path("p"), run("r2")).contains(kCase, 2));
}

TEST(AllreduceRecord, ProfileOfAnotherMachineIsRefused) {
  const TemporaryFolder folder;
  AllreduceRecord(folder.path("p"), run("r1")).write(timed_row(kCase, timing(), 2));
  EXPECT_THROW(AllreduceRecord(folder.path("p"), run("r2", "GPU-3")), DataError);
  EXPECT_NO_THROW(AllreduceRecord(folder.path("p"), run("r3", "GPU-1")));
}

TEST(ProgressBar, LineShowsShareAndCount) {
  EXPECT_EQ(progress_line(21, 84, "x"), "[#####---------------] 25 %  21/84 x");
  EXPECT_EQ(progress_line(84, 84, "x"), "[####################] 100 %  84/84 x");
}

}  // namespace
}  // namespace stepcast
