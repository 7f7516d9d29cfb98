// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/op_import.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/run_record.hpp"
#include "layers/cost.hpp"
#include "layers/op.hpp"
#include "roofline/profile_data.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/roofline/mini_profile.hpp"

namespace stepcast {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

constexpr const char* kRelu = "relu_fwd/native/bf16/flat/e1048576";
constexpr const char* kTimes = R"({"context": {"executable": "./conv"}, "benchmarks": [
  {"name": "BM_relu", "iterations": 10, "real_time": 3.0, "time_unit": "us"},
  {"name": "BM_relu", "iterations": 10, "real_time": 5.0, "time_unit": "us"},
  {"name": "BM_add", "error_occurred": true, "error_message": "out of memory"},
  {"name": "BM_other", "iterations": 10, "real_time": 3.0, "time_unit": "us"}]})";

class OpImportTest : public ::testing::Test {
 protected:
  OpImport import(const std::string& mapping) const {
    return {folder_.file("times.json", kTimes),
            folder_.file("map.csv", "benchmark,key,cache\n" + mapping),
            folder_.path("profile"),
            "real_time",
            "H200-SXM",
            "typed"};
  }
  std::string refusal(const std::string& mapping) const {
    const std::string text = error_of<DataError>([&] { (void)import_ops(import(mapping)); });
    EXPECT_FALSE(std::filesystem::exists(folder_.path("profile/ops.csv")));
    return text.substr(std::min(text.find("map.csv"), text.size()));
  }
  const TemporaryFolder folder_;
};

TEST_F(OpImportTest, MappedBenchmarksBecomeRowsOfARun) {
  const std::string mapping = std::string("BM_relu,") + kRelu + ",cold\nBM_relu," + kRelu +
                              ",hot\nBM_add,add/native/bf16/flat/e1048576,cold\n";
  const OpImportResult result = import_ops(import(mapping));
  EXPECT_EQ(result.added, 3);
  EXPECT_EQ(result.unmapped, std::vector<std::string>{"BM_other"});
  const auto rows = read_ops(folder_.path("profile/ops.csv"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].key, kRelu);
  EXPECT_EQ(rows[0].cache, "cold");
  EXPECT_EQ(rows[1].cache, "hot");
  EXPECT_DOUBLE_EQ(rows[0].median_s, 4e-6);
  EXPECT_DOUBLE_EQ(rows[0].min_s, 3e-6);
  EXPECT_EQ(rows[0].samples, 2);
  EXPECT_EQ(rows[0].executions, 10);
  EXPECT_EQ(rows[0].notes, "BM_relu");
  EXPECT_DOUBLE_EQ(rows[0].least_bytes, cost(parse(kRelu)).least_bytes.count());
  EXPECT_EQ(rows[0].run, result.run);
  EXPECT_EQ(rows[2].status, RowStatus::failed);
  EXPECT_EQ(rows[2].reason, "out of memory");
  const auto runs = read_runs(folder_.path("profile/run.json"))["runs"];
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["program"], "google-benchmark");
  EXPECT_EQ(runs[0]["executable"], "./conv");
  EXPECT_EQ(runs[0]["imported_from"], "times.json");
  EXPECT_EQ(runs[0]["gpu"]["name"], "NVIDIA H200");

  const ProfileData profile(folder_.path("profile"));
  ASSERT_NE(profile.find(kRelu, "hot"), nullptr);
  EXPECT_DOUBLE_EQ(profile.find(kRelu, "hot")->median_s, 4e-6);
}

TEST_F(OpImportTest, SecondImportAddsNothing) {
  const OpImport once = import(std::string("BM_relu,") + kRelu + ",cold\n");
  EXPECT_EQ(import_ops(once).added, 1);
  const OpImportResult again = import_ops(once);
  EXPECT_EQ(again.added, 0);
  EXPECT_EQ(again.known, 1);
  EXPECT_EQ(again.run, "");
  EXPECT_EQ(read_runs(folder_.path("profile/run.json"))["runs"].size(), 1U);
}

TEST_F(OpImportTest, OwnTimesArePreferred) {
  testing::write_mini_profile(folder_.path("profile"), {.allreduce = false});
  const auto rows = read_ops(folder_.path("profile/ops.csv"));
  const OpRow& own = rows.at(0);
  OpImport other = import("BM_relu," + own.key + "," + own.cache + "\n");
  other.gpu.reset();
  EXPECT_EQ(import_ops(other).added, 1);
  EXPECT_DOUBLE_EQ(ProfileData(folder_.path("profile")).find(own.key, own.cache)->median_s,
                   own.median_s);
}

TEST_F(OpImportTest, MappingThatIsWrongIsRefusedAtItsPlace) {
  const std::string good = std::string("BM_relu,") + kRelu + ",cold\n";
  EXPECT_NE(refusal("BM_x," + std::string(kRelu) + ",cold\n")
                .find("map.csv:2:benchmark: 'BM_x' is not in"),
            std::string::npos);
  EXPECT_NE(refusal("BM_relu,relu/x,cold\n").find("map.csv:2:key: "), std::string::npos);
  EXPECT_NE(refusal("BM_relu," + std::string(kRelu) + ",warm\n")
                .find("map.csv:2:cache: 'warm' is neither cold nor hot"),
            std::string::npos);
  EXPECT_NE(refusal(good + good).find("map.csv:3:key: " + std::string(kRelu) + " cold has a"),
            std::string::npos);
  EXPECT_NE(refusal("").find("map.csv: maps no benchmark"), std::string::npos);
}

TEST_F(OpImportTest, UnknownGpuIsRefused) {
  OpImport unknown = import(std::string("BM_relu,") + kRelu + ",cold\n");
  unknown.gpu = "H2000";
  EXPECT_NE(error_of<DataError>([&] { (void)import_ops(unknown); }).find("'H2000' is none of"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("profile")));
}

}  // namespace
}  // namespace stepcast
