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

/// The only run of a log.
NcclTestsTable table_of(const std::filesystem::path& file, const NcclTestsContext& context = {}) {
  NcclTestsLog log = read_nccl_tests_log(file, context);
  EXPECT_EQ(log.tables.size(), 1U) << file;
  EXPECT_EQ(log.left_out, std::vector<std::string>()) << file;
  return std::move(log.tables.front());
}

const AllreduceRow& row_of(const NcclTestsTable& table, std::int64_t payload, bool in_place) {
  for (const AllreduceRow& row : table.rows) {
    if (row.payload_bytes == payload && row.in_place == in_place) return row;
  }
  throw DataError("no row of " + std::to_string(payload) + " bytes");
}

TEST(NcclTestsLog, WholeLogStatesItsContext) {
  const NcclTestsTable log = table_of(kData / "measured/h200x2_nccltests_pow2.txt");
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
  const NcclTestsTable log = table_of(kData / "measured/h200x2_nccltests_graph.txt");
  EXPECT_EQ(log.tool, "nccl-tests 2.19.6 graph");
  EXPECT_EQ(log.iterations, 100);
  EXPECT_DOUBLE_EQ(row_of(log, 1048576, true).median_s, 13.27e-6);
}

TEST(NcclTestsLog, LinesOfNumbersAloneNeedRanksAndNodes) {
  const auto file = kData / "measured/h200x2_nccltests_buckets.txt";
  const NcclTestsTable log = table_of(file, {2, 1});
  EXPECT_EQ(log.tool, "nccl-tests");
  ASSERT_EQ(log.rows.size(), 18U);
  EXPECT_DOUBLE_EQ(row_of(log, 28351488, true).median_s, 117.36e-6);
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
    if (silent) context = {1536, 96};  // its busbw is 1.9987 times its algbw
    const NcclTestsTable log = table_of(entry.path(), context);
    EXPECT_GE(log.rows.size(), 22U) << entry.path();
    for (const AllreduceRow& row : log.rows) EXPECT_EQ(row.status, RowStatus::ok);
  }
  EXPECT_EQ(files, 33U);
}

TEST(NcclTestsLog, PublishedLogStatesItsRanks) {
  const NcclTestsTable log =
      table_of(kData / "published/nccl_logs/a100x32_8node_polaris_slingshot.txt");
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
NcclTestsLog read_log(const std::string& content, const NcclTestsContext& context = {2, 1}) {
  const TemporaryFolder folder;
  return read_nccl_tests_log(folder.file("a.log", content), context);
}

NcclTestsTable read(const std::string& content) {
  NcclTestsLog log = read_log(content);
  EXPECT_EQ(log.left_out, std::vector<std::string>());
  EXPECT_EQ(log.tables.size(), 1U);
  return std::move(log.tables.at(0));
}

std::string from_name(const std::string& text) {
  const std::size_t at = text.find("a.log:");
  return at == std::string::npos ? text : text.substr(at);
}

std::string refusal(const std::string& content) {
  return from_name(error_of<DataError>([&] { (void)read_log(content); }));
}

/// What is left out of a log that has a good line first.
std::string left_out(const std::string& line) {
  const NcclTestsLog log =
      read_log("# x\n1048576 262144 float sum -1 20.00 52.43 52.43 0 20.00 52.43 52.43 0\n" + line);
  EXPECT_EQ(log.tables.at(0).rows.size(), 2U);
  EXPECT_EQ(log.left_out.size(), 1U);
  return from_name(log.left_out.at(0));
}

TEST(NcclTestsLog, OldAndNewColumnsAreRead) {
  // size count type time algbw busbw, twice; 1 MiB in 20 us is 52.43 GB/s.
  const std::string t = " 20.00 52.43 52.43 ";
  EXPECT_EQ(read("1048576 262144 float" + t + t + "\n").rows.size(), 2U);
  EXPECT_EQ(read("1048576 262144 float sum" + t + "2e-07" + t + "0e+00\n").rows.size(), 2U);
  EXPECT_EQ(read("1048576 262144 float sum -1" + t + "0" + t + "N/A\n").rows.size(), 2U);
  EXPECT_EQ(read("1048576 262144 float sum -1" + t + t + "\r\n").rows.size(), 2U);
  const NcclTestsTable half = read("1048576 524288 half sum -1" + t + "0" + t + "N/A");
  ASSERT_EQ(half.rows.size(), 2U);
  EXPECT_EQ(half.rows[0].dtype, "fp16");
  EXPECT_EQ(half.rows[0].wrong_elements, 0);
  EXPECT_EQ(half.rows[1].wrong_elements, -1);
  EXPECT_EQ(read("1048576 262144 float sum" + t + "2e-07" + t + "0e+00\n").rows[0].wrong_elements,
            -1);
}

TEST(NcclTestsLog, ChatterAndEmptySizesAreSkipped) {
  const NcclTestsTable log = read(
      "host:1:1 [0] NCCL INFO Channel 00\n\n  0 0 float sum -1 0.10 0.00 0.00 0 0.10 0.00 0.00 0\n"
      "1048576 262144 float sum -1 20.00 52.43 52.43 0 20.00 52.43 52.43 0\n");
  EXPECT_EQ(log.rows.size(), 2U);
}

TEST(NcclTestsLog, WrongElementsFailTheRow) {
  const NcclTestsTable log =
      read("1048576 262144 float sum -1 20.00 52.43 52.43 7 20.00 52.43 52.43 0\n");
  EXPECT_EQ(log.rows[0].status, RowStatus::failed);
  EXPECT_EQ(log.rows[0].reason, "7 wrong elements");
  EXPECT_EQ(log.rows[1].status, RowStatus::ok);
}

TEST(NcclTestsLog, LinesThatAreCutOffAreLeftOut) {
  EXPECT_EQ(left_out("2097152 5242"), "a.log:3:size: the line is cut off");
  EXPECT_EQ(left_out("2097152 524288 float sum -1 29.64"), "a.log:3:time: the line is cut off");
  EXPECT_EQ(left_out("2097152 524288 float sum -1 host:7: Test NCCL failure\n"),
            "a.log:3:time: the line is cut off at 'host:7:'");
  EXPECT_EQ(left_out("2097152 524288 float sum 40 52.43 52.43 40 52.43 52.4"),
            "a.log:3:busbw: the line is cut off in its last number");
  EXPECT_NE(
      refusal("1048576 262144 float sum -1 20.0\n").find("holds no whole line of an allreduce; "),
      std::string::npos);
}

TEST(NcclTestsLog, HeadOfTheTableSaysWhatALineHolds) {
  const std::string old =
      "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n";
  const NcclTestsLog cut =
      read_log(old +
               "1048576 262144 float sum 20.00 52.43 52.43 0e+00 20.00 52.43 52.43\n"
               "1048576 262144 float sum 20.00 52.43 52.43 0e+00 20.00 52.43 52.43 0e+00\n");
  EXPECT_EQ(cut.tables.at(0).rows.size(), 2U);
  EXPECT_EQ(cut.left_out.size(), 1U);
  // -I 1 -T: what single iterations took, and the hour.
  const NcclTestsTable table = read(
      "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% "
      "time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp\n"
      "1048576 262144 float sum -1 20.00 52.43 52.43 0 19.0 21.0 20.9 1.5 "
      "40.00 26.21 26.21 7 19.0 21.0 20.9 1.5 2026-11-30 10:00:00\n");
  EXPECT_DOUBLE_EQ(table.rows.at(0).median_s, 20e-6);
  EXPECT_EQ(table.rows.at(1).reason, "7 wrong elements");
  EXPECT_NE(
      refusal(
          "# size count type redop root cputime algbw busbw #wrong cputime algbw busbw #wrong\n")
          .find("a.log:1:time: these are the host's times (-C)"),
      std::string::npos);
}

TEST(NcclTestsLog, WhatIsNotOursIsLeftOut) {
  EXPECT_EQ(left_out("1048576 131072 double sum -1 20 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:3:type: 'double' is none of float half bfloat16");
  EXPECT_EQ(left_out("1048576 262144 float max -1 20 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:3:redop: 'max' is not sum");
  EXPECT_NE(refusal("# Collective test starting: all_gather_perf\n"
                    "1048576 262144 float none -1 20 52.43 26.21 0 20 52.43 26.21 0\n")
                .find("a.log:1:collective: 'all_gather_perf' is not all_reduce_perf"),
            std::string::npos);
}

TEST(NcclTestsLog, EachRunOfALogIsATable) {
  const auto run = [](int ranks, const std::string& prefix, const std::string& busbw) {
    std::string text = prefix +
                       "# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803\n" +
                       prefix + "# Collective test starting: all_reduce_perf\n" + prefix +
                       "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 1 "
                       "iters: 20 agg iters: 1 validation: 1 graph: 0\n";
    for (int rank = 0; rank < ranks; ++rank) {
      text += prefix + "#  Rank  " + std::to_string(rank) + " Group  0 Pid   1341 on  host" +
              std::to_string(rank / 4) + " device  0 [0000:00:06] NVIDIA H200\n";
    }
    const std::string t = " 20.00 52.43 " + busbw + " 0";
    return text + prefix + "  1048576 262144 float sum -1" + t + t + "\n" + prefix +
           "# Out of bounds values : 0 OK\n";
  };
  const std::string gather =
      "# Collective test starting: all_gather_perf\n1048576 262144 float none -1 20 1 1 0 20 1 1 "
      "0\n";
  const NcclTestsLog log = read_log(run(2, "0: ", "52.43") + "\n0: slurm said something\n" +
                                        gather + run(8, "[1,0]<stdout>:", "91.75"),
                                    {});
  ASSERT_EQ(log.tables.size(), 2U);
  EXPECT_EQ(log.tables[0].ranks, 2);
  EXPECT_EQ(log.tables[0].nodes, 1);
  EXPECT_EQ(log.tables[1].ranks, 8);
  EXPECT_EQ(log.tables[1].nodes, 2);
  EXPECT_EQ(log.tables[1].tool, "nccl-tests 2.17.6");
  EXPECT_EQ(log.tables[1].iterations, 20);
  EXPECT_EQ(log.tables[1].rows.size(), 2U);
  EXPECT_EQ(log.left_out.size(), 1U);
}

TEST(NcclTestsLog, ProcessesThatEachMeasuredByThemselvesAreRefused) {
  const std::string rank = "#   Rank  0 Pid   1320 on host device  0 [0x00] Tesla V100-SXM2-16GB\n";
  EXPECT_NE(refusal(rank + rank).find("a.log:2:rank: there are two ranks 0: built without MPI"),
            std::string::npos);
}

TEST(NcclTestsLog, OutOfBoundsOfAnOldVersionFailTheRun) {
  const NcclTestsTable table = read(
      "1048576 262144 float sum 20.00 52.43 52.43 2e-01 20.00 52.43 52.43 0e+00\n"
      "# Out of bounds values : 1 FAILED\n");
  EXPECT_EQ(table.rows.at(0).status, RowStatus::failed);
  EXPECT_EQ(table.rows.at(1).reason, "1 values of the run were out of bounds");
}

TEST(NcclTestsLog, LinesThatContradictThemselvesAreRefusedAtTheirPlace) {
  EXPECT_EQ(refusal("# x\n2097152 524287 float sum -1 1 1 1 0 1 1 1 0"),
            "a.log:2:count: 524287 elements of float are not 2097152 bytes");
  EXPECT_EQ(refusal("1048576 262144 float sum -1 0 52.43 52.43 0 20 52.43 52.43 0"),
            "a.log:1:time: 0 us is not above 0");
  EXPECT_EQ(refusal("1048576 262144 float sum -1 20 52.43 52.43 0 40 52.43 52.43 0"),
            "a.log:1:algbw: 52.43 GB/s does not follow from 1048576 bytes in 40 us");
  EXPECT_NE(refusal("# nothing\n").find("holds no whole line of an allreduce"), std::string::npos);
}

TEST(NcclTestsLog, RatesThatDoNotFitTheRankCountAreRefused) {
  // Eight ranks print 1.75 times the algorithm bandwidth.
  EXPECT_EQ(refusal("1048576 262144 float sum -1 20 52.43 91.75 0 20 52.43 91.75 0"),
            "a.log:1:busbw: 91.75 GB/s is not 1 times 52.43 GB/s, as 2 ranks have it");
}

TEST(NcclTestsLog, RanksThatContradictTheLogAreRefused) {
  EXPECT_NE(error_of<DataError>([] {
              (void)read_nccl_tests_log(kData / "measured/h200x2_nccltests_pow2.txt", {8, 1});
            }).find("ranks: 8 were given, the log says 2"),
            std::string::npos);
}

TEST(NcclTestsLog, AbsentFileIsRefused) {
  EXPECT_THROW((void)read_nccl_tests_log("no-such-file.txt"), DataError);
}

}  // namespace
}  // namespace stepcast
