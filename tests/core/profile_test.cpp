// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/profile.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::content_of;
using testing::error_of;
using testing::TemporaryFolder;

OpRow op() {
  OpRow row;
  row.key = "conv_fprop/cudnn/bf16/nhwc/n32c64h56w56k64r3s3u1p1";
  row.cache = "cold";
  row.plan_rank = 2;
  row.run = "r1";
  row.median_s = 8.66e-05;
  row.p25_s = 8.6e-05;
  row.p75_s = 8.7e-05;
  row.min_s = 8.5e-05;
  row.p95_s = 9e-05;
  row.samples = 25;
  row.noise = 0.0058;
  row.median_error = 0.0021;
  row.drift = -0.001;
  row.stop = "settled";
  row.launch = "graph";
  row.unstable = true;
  row.math = "bf16 x bf16 + fp32";
  row.notes = "tensor_core";
  row.kernels = 3;
  row.conversion_share = 0.25;
  row.checked_elements = 6422528;
  row.worst_error = 0.31;
  row.flop = 7398752256;
  row.least_bytes = 25763840;
  row.sm_clock_mhz = 1980;
  row.plans_timed = 24;
  row.workspace_bytes = 1024;
  row.plan = "sm90_xmma_fprop, \"nhwc\"";
  return row;
}

AllreduceRow allreduce() {
  AllreduceRow row;
  row.tool = "stepcast-comm";
  row.collective = "allreduce";
  row.dtype = "fp32";
  row.payload_bytes = 28351488;
  row.in_place = false;
  row.ranks = 2;
  row.nodes = 1;
  row.run = "r1";
  row.median_s = 1.2e-04;
  row.min_rank_s = 1.1e-04;
  row.mean_rank_s = 1.15e-04;
  row.max_rank_s = 1.21e-04;
  row.iterations = 50;
  row.algbw_bytes_per_s = 2.36e11;
  row.busbw_bytes_per_s = 2.36e11;
  row.wrong_elements = 0;
  return row;
}

TEST(Profile, OpRowComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path("ops.csv");
  CsvWriter(file, ops_schema()).write(cells(op()));
  const auto rows = read_ops(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(cells(rows[0]), cells(op()));
  EXPECT_EQ(rows[0].median_s, 8.66e-05);
  EXPECT_EQ(rows[0].plan_rank, 2);
  EXPECT_EQ(rows[0].plan, op().plan);
}

TEST(Profile, AllreduceRowComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path("allreduce.csv");
  CsvWriter(file, allreduce_schema()).write(cells(allreduce()));
  const auto rows = read_allreduce(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(cells(rows[0]), cells(allreduce()));
  EXPECT_FALSE(rows[0].in_place);
  EXPECT_EQ(rows[0].payload_bytes, 28351488);
  EXPECT_EQ(rows[0].max_rank_s, 1.21e-04);
}

TEST(Profile, CeilingRowComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path("ceilings.csv");
  const CeilingRow row{"copy_bandwidth", "", "bytes_per_s", 4.2e12, 0.001, "r1", "copy of 1 GiB"};
  CsvWriter(file, ceilings_schema()).write(cells(row));
  const auto rows = read_ceilings(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].value, 4.2e12);
  EXPECT_EQ(rows[0].method, "copy of 1 GiB");
}

TEST(Profile, RowThatWasNotTimedHasEmptyTimesAndAReason) {
  const TemporaryFolder folder;
  const auto file = folder.path("ops.csv");
  OpRow row = op();
  row.status = RowStatus::unsupported;
  row.reason = "no plan, says the library";
  CsvWriter(file, ops_schema()).write(cells(row));
  EXPECT_NE(
      content_of(file).find(",unsupported,\"no plan, says the library\",,,,,,,,,,,,,,,7398752256,"),
      std::string::npos);
  const auto rows = read_ops(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].status, RowStatus::unsupported);
  EXPECT_EQ(rows[0].reason, "no plan, says the library");
  EXPECT_EQ(rows[0].median_s, 0.0);
}

TEST(Profile, WhatAToolDoesNotSayIsAnEmptyCell) {
  const TemporaryFolder folder;
  const auto file = folder.path("allreduce.csv");
  AllreduceRow row = allreduce();
  row.min_rank_s = row.max_rank_s = 0.0;
  row.iterations = 0;
  row.wrong_elements = -1;
  CsvWriter(file, allreduce_schema()).write(cells(row));
  EXPECT_NE(content_of(file).find(",0.00012,,0.000115,,,"), std::string::npos);
  const auto rows = read_allreduce(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].min_rank_s, 0.0);
  EXPECT_EQ(rows[0].iterations, 0);
  EXPECT_EQ(rows[0].wrong_elements, -1);
}

TEST(Profile, AbsentFilesHaveNoRows) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_ops(folder.path("ops.csv")).empty());
  EXPECT_TRUE(read_allreduce(folder.path("allreduce.csv")).empty());
  EXPECT_TRUE(read_ceilings(folder.path("ceilings.csv")).empty());
}

TEST(Profile, RowOfTheFirstSchemaIsStillRead) {
  const TemporaryFolder folder;
  const auto file = folder.path("ops.csv");
  std::ofstream(file)
      << "# stepcast ops schema 1\n"
         "key,cache,plan_rank,run,status,reason,median_s,p25_s,p75_s,min_s,p95_s,"
         "samples,noise,flop,least_bytes,sm_clock_mhz,plans_timed,workspace_bytes,"
         "plan\n"
         "copy/cuda/fp32/flat/e1,cold,0,r1,ok,,2e-6,2e-6,2e-6,2e-6,2e-6,10,0.01,0,8,"
         "1980,1,0,memcpy\n";
  const auto rows = read_ops(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].median_s, 2e-6);
  EXPECT_EQ(rows[0].plan, "memcpy");
  EXPECT_EQ(rows[0].stop, "");
  EXPECT_EQ(rows[0].checked_elements, 0);
}

TEST(Profile, BlockRowComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path("blocks.csv");
  BlockRow row;
  row.block = "resnet152/layer3.7/forward/eager/bf16/nhwc/n128";
  row.run = "r1";
  row.ops = 12;
  row.median_s = 1e-3;
  row.median_error = 0.001;
  row.apart_s = 1.1e-3;
  row.sum_s = 1.02e-3;
  row.sum_cold_s = 1.2e-3;
  row.sum_hot_s = 9e-4;
  row.difference = -0.02;
  row.sm_clock_mhz = 1980;
  CsvWriter(file, blocks_schema()).write(cells(row));
  const auto rows = read_blocks(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(cells(rows[0]), cells(row));
  EXPECT_EQ(rows[0].difference, -0.02);
}

/// What is said of a row with one cell replaced.
std::string refusal(std::string_view column, const std::string& cell) {
  const TemporaryFolder folder;
  const auto file = folder.path("ops.csv");
  std::vector<std::string> row = cells(op());
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (ops_schema().columns[i] == column) row[i] = cell;
  }
  CsvWriter(file, ops_schema()).write(row);
  return error_of<DataError>([&] { (void)read_ops(file); });
}

TEST(Profile, ValueOutOfItsRangeIsRefusedAtItsPlace) {
  EXPECT_NE(refusal("median_s", "0").find("ops.csv:3:median_s: '0' is not above 0"),
            std::string::npos);
  EXPECT_NE(refusal("cache", "warm").find("ops.csv:3:cache: 'warm' is none of cold hot"),
            std::string::npos);
  EXPECT_NE(refusal("samples", "0").find("ops.csv:3:samples: '0' is below 1"), std::string::npos);
  EXPECT_NE(refusal("noise", "-0.1").find("ops.csv:3:noise: '-0.1' is negative"),
            std::string::npos);
  EXPECT_NE(refusal("stop", "bored").find("ops.csv:3:stop: 'bored' is none of quiet"),
            std::string::npos);
  EXPECT_NE(refusal("status", "good").find("ops.csv:3:status: 'good' is none of ok"),
            std::string::npos);
  EXPECT_NE(refusal("status", "failed").find("ops.csv:3:reason: '' is empty"), std::string::npos);
  EXPECT_NE(refusal("key", "").find("ops.csv:3:key: '' is empty"), std::string::npos);
  EXPECT_NE(refusal("min_s", "").find("ops.csv:3:min_s: '' is not a number"), std::string::npos);
}

/// The columns that a file's table in data/README.md lists: `column` is the first cell of a row.
std::vector<std::string> documented_columns(const std::string& file) {
  std::ifstream in(std::string(STEPCAST_SOURCE_DIR) + "/data/README.md");
  std::vector<std::string> columns;
  bool within = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) within = line.find("`" + file + "`") != std::string::npos;
    if (!within || !line.starts_with("| `")) continue;
    columns.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return columns;
}

TEST(Profile, ReadmeListsTheColumnsOfEachFile) {
  for (const auto& [file, schema] :
       {std::pair{"ops.csv", &ops_schema()}, std::pair{"blocks.csv", &blocks_schema()},
        std::pair{"allreduce.csv", &allreduce_schema()},
        std::pair{"ceilings.csv", &ceilings_schema()}}) {
    EXPECT_EQ(documented_columns(file),
              std::vector<std::string>(schema->columns.begin(), schema->columns.end()))
        << file;
  }
}

}  // namespace
}  // namespace stepcast
