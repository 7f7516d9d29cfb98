// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/allreduce_import.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/run_record.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::TemporaryFolder;

const std::filesystem::path kMeasured = STEPCAST_SOURCE_DIR "/data/measured";

TEST(AllreduceImport, RowsAndTheirRunGoIntoTheProfile) {
  const TemporaryFolder folder;
  const AllreduceImportResult result = import_allreduce(
      {kMeasured / "h200x2_nccltests_pow2.txt", folder.path("new/profile"), {}, {}, "typed"});
  ASSERT_EQ(result.runs.size(), 1U);
  const ImportedRun& run = result.runs[0];
  EXPECT_EQ(run.added, 42);
  EXPECT_EQ(run.known, 0);
  EXPECT_EQ(run.ranks, 2);
  EXPECT_EQ(result.left_out, std::vector<std::string>());
  const auto rows = read_allreduce(folder.path("new/profile/allreduce.csv"));
  ASSERT_EQ(rows.size(), 42U);
  EXPECT_EQ(rows[0].run, run.id);
  const auto runs = read_runs(folder.path("new/profile/run.json"))["runs"];
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["id"], run.id);
  EXPECT_EQ(runs[0]["program"], "nccl-tests 2.19.6");
  EXPECT_EQ(runs[0]["libraries"]["nccl"], "2.28.3");
  EXPECT_EQ(runs[0]["gpu"]["name"], "NVIDIA H200");
  EXPECT_EQ(runs[0]["command"], "typed");
}

TEST(AllreduceImport, SecondImportOfAFileAddsNothing) {
  const TemporaryFolder folder;
  const AllreduceImport import{kMeasured / "h200x2_nccltests_buckets.txt", folder.path("profile"),
                               2, 1, ""};
  EXPECT_EQ(import_allreduce(import).runs.at(0).added, 18);
  const ImportedRun again = import_allreduce(import).runs.at(0);
  EXPECT_EQ(again.added, 0);
  EXPECT_EQ(again.known, 18);
  EXPECT_EQ(again.id, "");
  EXPECT_EQ(read_allreduce(folder.path("profile/allreduce.csv")).size(), 18U);
  EXPECT_EQ(read_runs(folder.path("profile/run.json"))["runs"].size(), 1U);
}

TEST(AllreduceImport, EachOfTwoLogsHasItsOwnRun) {
  const TemporaryFolder folder;
  const auto profile = folder.path("profile");
  const auto pow2 =
      import_allreduce({kMeasured / "h200x2_nccltests_pow2.txt", profile, {}, {}, ""});
  const auto graph =
      import_allreduce({kMeasured / "h200x2_nccltests_graph.txt", profile, {}, {}, ""});
  EXPECT_NE(pow2.runs.at(0).id, graph.runs.at(0).id);
  const auto runs = read_runs(folder.path("profile/run.json"))["runs"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["program"], "nccl-tests 2.19.6");
  EXPECT_EQ(runs[1]["program"], "nccl-tests 2.19.6 graph");
}

TEST(AllreduceImport, ARunRecordThatIsRefusedLeavesNoTable) {
  const TemporaryFolder folder;
  (void)folder.file("run.json", "{");
  EXPECT_THROW((void)import_allreduce(
                   {kMeasured / "h200x2_nccltests_pow2.txt", folder.path(""), {}, {}, ""}),
               DataError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("allreduce.csv")));
}

TEST(AllreduceImport, RefusedLogLeavesNoProfile) {
  const TemporaryFolder folder;
  const auto log = folder.file("bad.log", "1048576 262144 float\n");
  EXPECT_THROW((void)import_allreduce({log, folder.path("profile"), 2, 1, ""}), DataError);
  EXPECT_FALSE(std::filesystem::exists(folder.path("profile")));
}

}  // namespace
}  // namespace stepcast
