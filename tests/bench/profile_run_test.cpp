// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/profile_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/profile.hpp"
#include "core/run_record.hpp"
#include "tests/bench/program.hpp"
#include "tests/core/cuda/gpu_test.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::content_of;
using testing::ProgramResult;
using testing::run_bench;
using testing::TemporaryFolder;

const std::string kSmall =
    "--models resnet18 --precisions bf16 --batches 4 --recipes eager --no-blocks --quick "
    "--max-candidates 3 --benchmark_filter='layer1[.]0[.]' ";

/// The rows' identities; a failure for two rows with one.
std::set<std::string> identities(const std::vector<OpRow>& rows) {
  std::set<std::string> result;
  for (const OpRow& row : rows) {
    const std::string identity = row.key + " " + row.cache + " " + std::to_string(row.plan_rank);
    EXPECT_TRUE(result.insert(identity).second) << "twice: " << identity;
  }
  return result;
}

class ProfileRun : public testing::GpuTest {};

TEST_F(ProfileRun, SecondRunTimesWhatAKilledOneLeft) {
  const TemporaryFolder folder;
  const std::string profile = "--profile '" + folder.path("p").string() + "'";
  const ProgramResult first = run_bench(kSmall + profile);
  ASSERT_EQ(first.exit_code, 0) << first.text;
  const std::filesystem::path file = folder.path("p") / "ops.csv";
  const auto complete = read_ops(file);
  ASSERT_GT(complete.size(), 6U);
  for (const OpRow& row : complete) {
    EXPECT_NE(row.status, RowStatus::failed) << row.key << ": " << row.reason;
  }
  const auto all = identities(complete);

  // As if the first run had been killed before the last op's last row.
  std::string text = content_of(file);
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  std::ofstream(file, std::ios::binary) << text;
  const ProgramResult second = run_bench(kSmall + profile);
  ASSERT_EQ(second.exit_code, 0) << second.text;
  EXPECT_NE(second.text.find("1 timed, 0 unsupported, 0 failed"), std::string::npos) << second.text;
  const auto resumed = identities(read_ops(file));
  EXPECT_GE(resumed.size(), all.size());

  const ProgramResult third = run_bench(kSmall + profile);
  EXPECT_NE(third.text.find("ops are there"), std::string::npos) << third.text;
  EXPECT_EQ(read_ops(file).size(), resumed.size());
  const nlohmann::json runs = read_runs(folder.path("p") / "run.json").at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_GT(runs[0].at("seconds").get<double>(), 0);
  EXPECT_EQ(runs[0].at("method_version"), 3);
  EXPECT_EQ(runs[0].at("protocol").at("search_samples"), 3);
}

TEST_F(ProfileRun, ColdRowsAreNotBelowTheirBound) {
  const TemporaryFolder folder;
  const ProgramResult run = run_bench(kSmall + "--profile '" + folder.path("p").string() + "'");
  ASSERT_EQ(run.exit_code, 0) << run.text;
  double bandwidth = 0;
  for (const CeilingRow& row : read_ceilings(folder.path("p") / "ceilings.csv")) {
    if (row.name == "copy_bandwidth") bandwidth = row.value;
  }
  ASSERT_GT(bandwidth, 1e11);
  for (const OpRow& row : read_ops(folder.path("p") / "ops.csv")) {
    if (row.status != RowStatus::ok || row.cache != "cold") continue;
    // Writes may end in L2, so half of the bytes is what must have come from DRAM at the least.
    EXPECT_GT(row.median_s, 0.4 * row.least_bytes / bandwidth) << row.key;
  }
}

TEST_F(ProfileRun, PlacesOfOneOpPrintTheSameSample) {
  const ProgramResult result = run_bench(
      "--models resnet18 --precisions bf16 --batches 4 --recipes eager --quick "
      "--benchmark_filter='layer1[.][01][.]conv[12]/fprop' --benchmark_format=json 2>/dev/null");
  ASSERT_EQ(result.exit_code, 0) << result.text;
  const nlohmann::json output = nlohmann::json::parse(result.text);
  const nlohmann::json& benchmarks = output.at("benchmarks");
  ASSERT_EQ(benchmarks.size(), 4U);  // four 3x3 convolutions of 64 channels on 56x56
  for (const nlohmann::json& one : benchmarks) {
    EXPECT_EQ(one.at("real_time"), benchmarks[0].at("real_time"));
    EXPECT_EQ(one.at("iterations"), 1);
    EXPECT_GT(one.at("FLOP/s").get<double>(), 0);
    EXPECT_GT(one.at("ceiling_share").get<double>(), 0);
    EXPECT_LT(one.at("ceiling_share").get<double>(), 1.1);
    EXPECT_FALSE(one.at("label").get<std::string>().empty());
  }
  EXPECT_TRUE(output.at("context").contains("gpu"));
}

TEST_F(ProfileRun, BlockTakesAboutTheTimeOfItsOps) {
  const ProgramResult result = run_bench(
      "--models resnet18 --precisions bf16 --batches 64 --recipes eager --quick --no-ddp "
      "--benchmark_filter='resnet18/layer1[.]0[./].*(forward|/fprop/|/fwd/)' "
      "--benchmark_format=json 2>/dev/null");
  ASSERT_EQ(result.exit_code, 0) << result.text;
  const nlohmann::json output = nlohmann::json::parse(result.text);
  double ops = 0;
  double block = 0;
  for (const nlohmann::json& one : output.at("benchmarks")) {
    const bool is_block = one.at("name").get<std::string>().find("/forward/") != std::string::npos;
    (is_block ? block : ops) += one.at("real_time").get<double>();
  }
  EXPECT_GT(block, 0.5 * ops);
  EXPECT_LT(block, 2.0 * ops);  // the block casts weights too
}

}  // namespace
}  // namespace stepcast
