// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl_tests_log.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

const std::filesystem::path kData = STEPCAST_SOURCE_DIR "/data";

const AllreduceRow& row_of(const NcclTestsLog& log, std::int64_t payload, bool in_place) {
  for (const AllreduceRow& row : log.rows) {
    if (row.payload_bytes == payload && row.in_place == in_place) return row;
  }
  throw DataError("no row of " + std::to_string(payload) + " bytes");
}

TEST(NcclTestsLog, WholeLogStatesItsContext) {
  const NcclTestsLog log = read_nccl_tests_log(kData / "measured/h200x2_nccltests_pow2.txt");
  EXPECT_EQ(log.tool, "nccl-tests 2.19.6");
  EXPECT_EQ(log.nccl_version, "2.28.3");
  EXPECT_EQ(log.gpu, "NVIDIA H200");
  EXPECT_EQ(log.ranks, 2);
  EXPECT_EQ(log.nodes, 1);
  EXPECT_EQ(log.iterations, 50);
  ASSERT_EQ(log.rows.size(), 42U);  // 1 KiB to 1 GiB, out of place and in place
  const AllreduceRow& row = row_of(log, 33554432, true);
  EXPECT_DOUBLE_EQ(row.median_s, 136.24e-6);
  EXPECT_EQ(row.mean_rank_s, row.median_s);
  EXPECT_EQ(row.max_rank_s, 0.0);
  EXPECT_NEAR(row.busbw_bytes_per_s, 246.30e9, 0.02e9);
  EXPECT_EQ(row.wrong_elements, 0);
  EXPECT_EQ(row.iterations, 50);
  EXPECT_EQ(row.dtype, "fp32");
  EXPECT_EQ(row.source, "h200x2_nccltests_pow2.txt");
  EXPECT_DOUBLE_EQ(row_of(log, 33554432, false).median_s, 138.06e-6);
}

TEST(NcclTestsLog, GraphRunIsToldApart) {
  const NcclTestsLog log = read_nccl_tests_log(kData / "measured/h200x2_nccltests_graph.txt");
  EXPECT_EQ(log.tool, "nccl-tests 2.19.6 graph");
  EXPECT_EQ(log.iterations, 100);
  EXPECT_DOUBLE_EQ(row_of(log, 1048576, true).median_s, 13.27e-6);
}

TEST(NcclTestsLog, LinesOfNumbersAloneNeedRanksAndNodes) {
  const auto file = kData / "measured/h200x2_nccltests_buckets.txt";
  const NcclTestsLog log = read_nccl_tests_log(file, {2, 1, "r1"});
  EXPECT_EQ(log.tool, "nccl-tests");
  ASSERT_EQ(log.rows.size(), 18U);
  EXPECT_DOUBLE_EQ(row_of(log, 28351488, true).median_s, 117.36e-6);
  EXPECT_EQ(row_of(log, 28351488, true).run, "r1");
  EXPECT_NE(error_of<DataError>([&] {
              (void)read_nccl_tests_log(file);
            }).find("buckets.txt: ranks: the log does not state them"),
            std::string::npos);
}

TEST(NcclTestsLog, EveryPublishedLogIsRead) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "published/nccl_logs")) {
    ++files;
    const bool silent = entry.path().filename() == "v100_dgx2_multinode_ib.txt";
    NcclTestsContext context;
    if (silent) context = {1536, 96, ""};  // its busbw is 1.9987 times its algbw
    const NcclTestsLog log = read_nccl_tests_log(entry.path(), context);
    EXPECT_GE(log.rows.size(), 50U) << entry.path();
    for (const AllreduceRow& row : log.rows) EXPECT_EQ(row.status, RowStatus::ok);
  }
  EXPECT_EQ(files, 12U);
}

TEST(NcclTestsLog, PublishedLogStatesItsRanks) {
  const NcclTestsLog log =
      read_nccl_tests_log(kData / "published/nccl_logs/a100x32_8node_polaris_slingshot.txt");
  EXPECT_EQ(log.ranks, 32);
  EXPECT_EQ(log.nodes, 8);
  EXPECT_DOUBLE_EQ(row_of(log, 1073741824, true).median_s, 57007e-6);
  EXPECT_EQ(row_of(log, 1073741824, true).wrong_elements, -1);
}

TEST(NcclTestsLog, LogWithoutAKnownRankCountIsRefused) {
  EXPECT_THROW((void)read_nccl_tests_log(kData / "published/nccl_logs/v100_dgx2_multinode_ib.txt"),
               DataError);
}

/// A log of these lines for two ranks on one node.
NcclTestsLog read(const std::string& content) {
  const TemporaryFolder folder;
  return read_nccl_tests_log(folder.file("a.log", content), {2, 1, ""});
}

std::string refusal(const std::string& content) {
  const std::string text = error_of<DataError>([&] { (void)read(content); });
  const std::size_t at = text.find("a.log:");
  return at == std::string::npos ? text : text.substr(at);
}

TEST(NcclTestsLog, OldAndNewColumnsAreRead) {
  // size count type time algbw busbw, twice; 1 MiB in 20 us is 52.43 GB/s.
  const std::string t = " 20.00 52.43 52.43 ";
  EXPECT_EQ(read("1048576 262144 float" + t + t + "\n").rows.size(), 2U);
  EXPECT_EQ(read("1048576 262144 float sum" + t + "2e-07" + t + "0e+00\n").rows.size(), 2U);
  EXPECT_EQ(read("1048576 262144 float sum -1" + t + "0" + t + "N/A\n").rows.size(), 2U);
  EXPECT_EQ(read("1048576 262144 float sum -1" + t + t + "\r\n").rows.size(), 2U);
  const NcclTestsLog half = read("1048576 524288 half sum -1" + t + "0" + t + "N/A");
  ASSERT_EQ(half.rows.size(), 2U);
  EXPECT_EQ(half.rows[0].dtype, "fp16");
  EXPECT_EQ(half.rows[0].wrong_elements, 0);
  EXPECT_EQ(half.rows[1].wrong_elements, -1);
  EXPECT_EQ(read("1048576 262144 float sum" + t + "2e-07" + t + "0e+00\n").rows[0].wrong_elements,
            -1);
}

TEST(NcclTestsLog, ChatterAndEmptySizesAreSkipped) {
  const NcclTestsLog log = read(
      "host:1:1 [0] NCCL INFO Channel 00\n\n  0 0 float sum -1 0.10 0.00 0.00 0 0.10 0.00 0.00 0\n"
      "1048576 262144 float sum -1 20.00 52.43 52.43 0 20.00 52.43 52.43 0\n");
  EXPECT_EQ(log.rows.size(), 2U);
}

TEST(NcclTestsLog, WrongElementsFailTheRow) {
  const NcclTestsLog log =
      read("1048576 262144 float sum -1 20.00 52.43 52.43 7 20.00 52.43 52.43 0\n");
  EXPECT_EQ(log.rows[0].status, RowStatus::failed);
  EXPECT_EQ(log.rows[0].reason, "7 wrong elements");
  EXPECT_EQ(log.rows[1].status, RowStatus::ok);
}

TEST(NcclTestsLog, GarbledLinesAreRefusedAtTheirPlace) {
  const std::string good =
      "# x\n1048576 262144 float sum -1 20.00 52.43 52.43 0 20.00 52.43 52.43 0\n";
  EXPECT_EQ(refusal(good + "2097152 5242"), "a.log:3:size: the line is cut");
  EXPECT_EQ(refusal(good + "2097152 524288 float sum -1 29.64"),
            "a.log:3:time: the line is cut or garbled");
  EXPECT_EQ(refusal(good + "2097152 524287 float sum -1 1 1 1 0 1 1 1 0"),
            "a.log:3:count: 524287 elements of float are not 2097152 bytes");
  EXPECT_EQ(refusal("1048576 131072 double sum -1 20 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:1:type: 'double' is none of float half bfloat16");
  EXPECT_EQ(refusal("1048576 262144 float max -1 20 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:1:redop: 'max' is not sum");
  EXPECT_EQ(refusal("1048576 262144 float sum -1 2x 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:1:time: '2x' is not a number");
  EXPECT_EQ(refusal("1048576 262144 float sum -1 0 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:1:time: '0' is not above 0");
  EXPECT_EQ(refusal("1048576 262144 float sum -1 nan 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:1:time: 'nan' is not a number");
  EXPECT_EQ(refusal("1048576 262144 float sum -1 20 52.43 52.43 0 40 52.43 52.43 0"),
            "a.log:1:algbw: 52.43 GB/s does not follow from 1048576 bytes in 40 us");
  EXPECT_EQ(refusal("# Collective test starting: all_gather_perf\n"),
            "a.log:1:collective: 'all_gather_perf' is not all_reduce_perf");
  EXPECT_NE(refusal("# nothing\n").find("holds no line of numbers"), std::string::npos);
}

TEST(NcclTestsLog, RatesThatDoNotFitTheRankCountAreRefused) {
  // Eight ranks print 1.75 times the algorithm bandwidth.
  EXPECT_EQ(refusal("1048576 262144 float sum -1 20 52.43 91.75 0 20 52.43 91.75 0"),
            "a.log:1:busbw: 91.75 GB/s is not 1 times 52.43 GB/s, as 2 ranks have it");
}

TEST(NcclTestsLog, RanksThatContradictTheLogAreRefused) {
  EXPECT_NE(error_of<DataError>([] {
              (void)read_nccl_tests_log(kData / "measured/h200x2_nccltests_pow2.txt", {8, 1, ""});
            }).find("ranks: 8 were given, the log says 2"),
            std::string::npos);
}

TEST(NcclTestsLog, AbsentFileIsRefused) {
  EXPECT_THROW((void)read_nccl_tests_log("no-such-file.txt"), DataError);
}

}  // namespace
}  // namespace stepcast
