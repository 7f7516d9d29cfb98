// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;

/// Two ranks: 10 us at 1 MB, 100 us at 100 MB, so 1 TB/s bus bandwidth at the largest size.
AllreduceTable two_ranks() {
  return AllreduceTable({{2, Bytes(1e8), microseconds(100)}, {2, Bytes(1e6), microseconds(10)}});
}

TEST(AllreduceFit, MeasuredPointComesBackExactly) {
  const AllreduceEstimate estimate = two_ranks().time(2, Bytes(1e6));
  EXPECT_EQ(estimate.time, microseconds(10));
  EXPECT_EQ(estimate.origin, Origin::measured);
  EXPECT_EQ(estimate.note, "");
}

TEST(AllreduceFit, BetweenTwoPointsTheLogarithmsAreInterpolated) {
  // 10 MB is half way from 1 MB to 100 MB in logarithms: sqrt(10 us * 100 us).
  const AllreduceEstimate estimate = two_ranks().time(2, Bytes(1e7));
  EXPECT_NEAR(estimate.time / microseconds(1), std::sqrt(1000.0), 1e-9);
  EXPECT_EQ(estimate.origin, Origin::fitted);
  EXPECT_EQ(estimate.note, "between 976.6 KiB and 95.37 MiB");
}

TEST(AllreduceFit, BelowTheSmallestItsTimeAboveTheLargestItsBandwidth) {
  const AllreduceEstimate below = two_ranks().time(2, Bytes(10));
  EXPECT_EQ(below.time, microseconds(10));
  EXPECT_EQ(below.origin, Origin::fitted);
  const AllreduceEstimate above = two_ranks().time(2, Bytes(3e8));
  EXPECT_NEAR(above.time / microseconds(1), 300.0, 1e-9);
  EXPECT_EQ(above.origin, Origin::fitted);
}

TEST(AllreduceFit, OneRankCostsNothing) {
  EXPECT_EQ(two_ranks().time(1, mib(25)).time, Seconds(0));
  EXPECT_EQ(AllreduceTable({}).time(1, mib(25)).time, Seconds(0));
}

TEST(AllreduceFit, MoreRanksAddWireBytesToTheSameExcessLatency) {
  // B = 1e8 B * 1 / 100 us = 1e12 B/s. At 1 MB: excess 10 us - 1 us; 8 ranks: 1.75 us on the wire.
  const AllreduceEstimate estimate = two_ranks().time(8, Bytes(1e6));
  EXPECT_NEAR(estimate.time / microseconds(1), 9.0 + 1.75, 1e-9);
  EXPECT_EQ(estimate.origin, Origin::fitted);
  EXPECT_EQ(estimate.note,
            "from 2 ranks (measured) by excess latency at 1000.0 GB/s bus bandwidth");
  // At the largest size there is no excess: 100 us * 1.5 for 4 ranks.
  EXPECT_NEAR(two_ranks().time(4, Bytes(1e8)).time / microseconds(1), 150.0, 1e-9);
}

TEST(AllreduceFit, ExtrapolatesFromTheNearestCountBelowElseFromAbove) {
  const AllreduceTable table({{2, Bytes(1e8), microseconds(100)},
                              {4, Bytes(1e8), microseconds(300)},
                              {16, Bytes(1e8), microseconds(1000)}});
  // From 4: B = 1.5e8 B / 300 us = 5e11 B/s; 8 ranks: 1.75e8 / 5e11.
  EXPECT_NEAR(table.time(8, Bytes(1e8)).time / microseconds(1), 350.0, 1e-9);
  const AllreduceTable above({{4, Bytes(1e8), microseconds(300)}});
  EXPECT_NEAR(above.time(2, Bytes(1e8)).time / microseconds(1), 200.0, 1e-9);
}

TEST(AllreduceFit, SizeThatRanFasterThanTheLargestHasNoNegativeLatency) {
  // B = 1e8 / 1 ms = 1e11 B/s, but 1 MB took only 1 us.
  const AllreduceTable table({{2, Bytes(1e6), microseconds(1)}, {2, Bytes(1e8), milliseconds(1)}});
  EXPECT_NEAR(table.time(4, Bytes(1e6)).time / microseconds(1), 15.0, 1e-9);
}

TEST(AllreduceFit, TimeNeverFallsWithSizeOrRanksWhereTheMeasuredOnesDoNot) {
  // Two H200s, in place (data/measured/h200x2_nccltests_pow2.txt).
  const AllreduceTable table({{2, mib(1), microseconds(18.87)},
                              {2, mib(2), microseconds(29.46)},
                              {2, mib(4), microseconds(34.77)},
                              {2, mib(8), microseconds(48.75)},
                              {2, mib(16), microseconds(76.44)},
                              {2, mib(32), microseconds(136.24)}});
  for (const std::int64_t ranks : {2, 3, 4, 8}) {
    Seconds before;
    for (double size = 1e5; size < 1e9; size *= 1.07) {
      const Seconds time = table.time(ranks, Bytes(size)).time;
      EXPECT_GE(time, before) << ranks << " ranks, " << size << " bytes";
      EXPECT_LE(table.time(ranks, Bytes(size)).time, table.time(ranks + 1, Bytes(size)).time);
      before = time;
    }
  }
}

TEST(AllreduceFit, BucketBetweenTheMeasuredSizesIsWithinAFewPercent) {
  // 28351488 bytes took 117.36 us in place (data/measured/h200x2_nccltests_buckets.txt).
  const AllreduceTable table(
      {{2, mib(16), microseconds(76.44)}, {2, mib(32), microseconds(136.24)}});
  EXPECT_NEAR(table.time(2, Bytes(28351488)).time / microseconds(117.36), 1.0, 0.03);
}

TEST(AllreduceFit, PointMeasuredTwiceIsAveraged) {
  const AllreduceTable table({{2, mib(1), microseconds(10)}, {2, mib(1), microseconds(14)}});
  EXPECT_NEAR(table.time(2, mib(1)).time / microseconds(1), 12.0, 1e-9);
  EXPECT_EQ(table.time(2, mib(1)).origin, Origin::measured);
}

TEST(AllreduceFit, EmptyTableNamesWhatItWasAskedFor) {
  EXPECT_EQ(error_of<DataError>([] { (void)AllreduceTable({}).time(4, mib(25)); }),
            "allreduce: no measurement to take the time of 25 MiB over 4 ranks from");
}

TEST(AllreduceFit, ValuesOutOfRangeAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(AllreduceTable({{1, mib(1), microseconds(1)}}), DataError);
  EXPECT_THROW(AllreduceTable({{2, Bytes(0), microseconds(1)}}), DataError);
  EXPECT_THROW(AllreduceTable({{2, mib(1), Seconds(0)}}), DataError);
  EXPECT_THROW(AllreduceTable({{2, mib(1), Seconds(infinity)}}), DataError);
  EXPECT_THROW((void)two_ranks().time(0, mib(1)), DataError);
  EXPECT_THROW((void)two_ranks().time(2, Bytes(0)), DataError);
  EXPECT_THROW((void)two_ranks().time(2, Bytes(infinity)), DataError);
}

}  // namespace
}  // namespace stepcast
