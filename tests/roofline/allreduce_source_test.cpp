// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/allreduce_source.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "tests/roofline/mini_profile.hpp"

namespace stepcast {
namespace {

using testing::allreduce_row;

const RunOrder kRuns{{"old", 0}, {testing::kMiniRun, 1}, {"new", 2}};

double time_at(const AllreduceSource& source, std::int64_t ranks, double payload) {
  return source.table.time(ranks, Bytes(payload)).time.count();
}

AllreduceRow imported(std::int64_t ranks, std::int64_t payload, double time_s) {
  AllreduceRow row = allreduce_row(ranks, payload, time_s);
  row.tool = "nccl-tests 2.19.6";
  return row;
}

TEST(AllreduceSource, OurOwnRowsReplaceImportedOnesOfTheSameRanks) {
  const AllreduceSource source = choose_allreduce(
      std::vector{imported(2, 1000, 9e-6), allreduce_row(2, 1000, 5e-6), imported(4, 1000, 7e-6)},
      kRuns);
  EXPECT_DOUBLE_EQ(time_at(source, 2, 1000), 5e-6);
  EXPECT_DOUBLE_EQ(time_at(source, 4, 1000), 7e-6);
  EXPECT_EQ(source.tools, "nccl-tests 2.19.6, stepcast-comm");
}

TEST(AllreduceSource, InPlaceComesBeforeANewerRowOutOfPlace) {
  AllreduceRow out_of_place = allreduce_row(2, 1000, 4e-6);
  out_of_place.in_place = false;
  out_of_place.run = "new";
  const AllreduceSource source =
      choose_allreduce(std::vector{allreduce_row(2, 1000, 5e-6), out_of_place}, kRuns);
  EXPECT_DOUBLE_EQ(time_at(source, 2, 1000), 5e-6);
}

TEST(AllreduceSource, OfEqualPayloadsTheNewestRunCounts) {
  AllreduceRow newer = allreduce_row(2, 1000, 8e-6);
  newer.run = "new";
  const AllreduceSource source =
      choose_allreduce(std::vector{newer, allreduce_row(2, 1000, 5e-6)}, kRuns);
  EXPECT_DOUBLE_EQ(time_at(source, 2, 1000), 8e-6);
}

TEST(AllreduceSource, RanksOfSeveralNodesAreACurveOfTheirOwn) {
  AllreduceRow near = allreduce_row(2, 1000, 5e-6);
  AllreduceRow far = allreduce_row(4, 1000, 9e-6);
  far.nodes = 2;
  const AllreduceSource source = choose_allreduce(std::vector{near, far}, kRuns);
  EXPECT_DOUBLE_EQ(time_at(source, 4, 1000), 9e-6);
  EXPECT_EQ(source.table.time(4, Bytes(1000)).origin, Origin::measured);
  // Said to be of one node, the four are fitted from the two.
  const AllreduceSource one =
      choose_allreduce(std::vector{near, far}, kRuns, {.ranks_per_node = 4});
  EXPECT_EQ(one.table.time(4, Bytes(1000)).origin, Origin::fitted);
}

TEST(AllreduceSource, OtherTypesAndFailuresAreLeftOut) {
  AllreduceRow half = allreduce_row(2, 1000, 1e-6);
  half.dtype = "fp16";
  AllreduceRow failed = allreduce_row(2, 3000, 1e-6);
  failed.status = RowStatus::failed;
  const AllreduceSource source = choose_allreduce(std::vector{half, failed}, kRuns);
  EXPECT_TRUE(source.table.empty());
  EXPECT_EQ(source.tools, "");
}

TEST(AllreduceSource, ALogOfNcclTestsWithoutItsHeadNeedsTheRanks) {
  const auto log = testing::test_folder() / "buckets.txt";
  // 31 502 336 bytes on two ranks, as nccl-tests prints them: out of place, then in place.
  std::ofstream(log) << "    31502336       7875584     float     sum      -1    130.22  241.92  "
                        "241.92       0    129.03  244.15  244.15       0\n";
  EXPECT_THROW(read_allreduce_file(log, std::nullopt), DataError);
  const AllreduceSource source = read_allreduce_file(log, 2);
  EXPECT_NEAR(time_at(source, 2, 31502336), 129.03e-6, 1e-12);
  EXPECT_NE(source.tools.find("nccl-tests"), std::string::npos);
}

TEST(AllreduceSource, OurOwnFileIsReadToo) {
  const auto folder = testing::test_folder();
  testing::write_allreduce(folder, {allreduce_row(2, 1000, 5e-6)});
  EXPECT_DOUBLE_EQ(time_at(read_allreduce_file(folder / "allreduce.csv", std::nullopt), 2, 1000),
                   5e-6);
}

TEST(AllreduceSource, AFileWithoutAnythingForTwoRanksIsRefused) {
  const auto folder = testing::test_folder();
  testing::write_allreduce(folder, {});
  EXPECT_THROW(read_allreduce_file(folder / "allreduce.csv", std::nullopt), DataError);
  EXPECT_THROW(read_allreduce_file(folder / "absent.csv", std::nullopt), DataError);
}

}  // namespace
}  // namespace stepcast
