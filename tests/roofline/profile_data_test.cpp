// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/profile_data.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/run_record.hpp"
#include "tests/roofline/mini_profile.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;
using testing::op_row;

class ProfileDataTest : public ::testing::Test {
 protected:
  ProfileDataTest() : folder_(testing::test_folder()) { testing::write_run_record(folder_); }

  void add_run(const std::string& id, const std::string& started, const std::string& gpu,
               double l2_bytes) {
    write_run(folder_ / "run.json",
              {{"id", id}, {"started", started}, {"gpu", {{"name", gpu}, {"l2_bytes", l2_bytes}}}});
  }

  std::string error_text() {
    try {
      const ProfileData data(folder_);
      return "";
    } catch (const DataError& error) {
      return error.what();
    }
  }

  fs::path folder_;
};

TEST_F(ProfileDataTest, OfSeveralPlansTheFastestCounts) {
  OpRow slow = op_row("k", "cold", 5e-6);
  OpRow fast = op_row("k", "cold", 4e-6);
  fast.plan_rank = 1;
  testing::write_ops(folder_, {slow, fast, op_row("k", "hot", 1e-6)});
  const ProfileData data(folder_);
  ASSERT_NE(data.find("k", "cold"), nullptr);
  EXPECT_DOUBLE_EQ(data.find("k", "cold")->median_s, 4e-6);
  EXPECT_DOUBLE_EQ(data.find("k", "hot")->median_s, 1e-6);
  EXPECT_EQ(data.find("other", "hot"), nullptr);
}

TEST_F(ProfileDataTest, OfSeveralRunsTheNewestCountsThoughItBeSlower) {
  add_run("later", "2026-02-01T00:00:00Z", testing::kMiniGpu, 1e6);
  OpRow later = op_row("k", "cold", 9e-6);
  later.run = "later";
  testing::write_ops(folder_, {later, op_row("k", "cold", 4e-6)});
  const ProfileData data(folder_);
  EXPECT_DOUBLE_EQ(data.find("k", "cold")->median_s, 9e-6);
  EXPECT_EQ(data.machine().l2, Bytes(1e6));
}

TEST_F(ProfileDataTest, ARunOfARefusalDoesNotHideAnOlderTime) {
  add_run("later", "2026-02-01T00:00:00Z", testing::kMiniGpu, 1e6);
  OpRow refused = op_row("k", "cold", 0);
  refused.run = "later";
  refused.status = RowStatus::failed;
  refused.reason = "out of memory";
  testing::write_ops(folder_, {op_row("k", "cold", 4e-6), refused});
  const ProfileData data(folder_);
  EXPECT_NE(data.find("k", "cold"), nullptr);
  EXPECT_EQ(data.refusal("k")->reason, "out of memory");
}

TEST_F(ProfileDataTest, WhatWasNotMeasuredIsSaid) {
  EXPECT_EQ(ProfileData(folder_).not_measured(), (std::vector<std::string>{"host", "contention"}));
  std::ofstream(folder_ / "host.csv") << "\n";
  EXPECT_EQ(ProfileData(folder_).not_measured(), (std::vector<std::string>{"contention"}));
}

TEST_F(ProfileDataTest, LibrariesAreListedAsRecorded) {
  EXPECT_EQ(ProfileData(folder_).machine().libraries, "cudnn 9.19.0, nccl 2.28.3");
  EXPECT_EQ(ProfileData(folder_).machine().method_version, "1");
}

TEST_F(ProfileDataTest, RunsOfTwoGpusAreRefused) {
  add_run("later", "2026-02-01T00:00:00Z", "NVIDIA A100", 1e6);
  EXPECT_NE(error_text().find("NVIDIA H200, NVIDIA A100"), std::string::npos) << error_text();
}

TEST_F(ProfileDataTest, AStartOrAGpuThatIsNoTextIsRefused) {
  write_run(folder_ / "run.json", {{"id", "r"}, {"gpu", {{"name", 7}}}});
  EXPECT_NE(error_text().find("run.json: gpu.name: not a text in run r"), std::string::npos);
  write_run(folder_ / "run.json", {{"id", "r"}, {"started", 7}});
  EXPECT_NE(error_text().find("run.json: started: not a text in run r"), std::string::npos);
}

TEST_F(ProfileDataTest, ARowOfAnUnknownRunIsRefused) {
  OpRow row = op_row("k", "cold", 1e-6);
  row.run = "nobody";
  testing::write_ops(folder_, {row});
  EXPECT_NE(error_text().find("ops.csv: run 'nobody' is not in run.json"), std::string::npos)
      << error_text();
}

TEST_F(ProfileDataTest, AnL2OfNoSizeIsRefused) {
  add_run("later", "2026-02-01T00:00:00Z", testing::kMiniGpu, 0);
  EXPECT_NE(error_text().find("gpu.l2_bytes"), std::string::npos) << error_text();
}

TEST_F(ProfileDataTest, AFolderThatIsNotThereIsNamed) {
  folder_ = "no/such/profile";
  EXPECT_EQ(error_text(), "no/such/profile: no such profile folder");
}

}  // namespace
}  // namespace stepcast
