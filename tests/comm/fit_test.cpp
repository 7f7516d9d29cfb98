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

TEST(AllreduceFit, MoreRanksKeepExcessLatencyAddStepsAndRescaleTheWire) {
  // B = 1e8 B * 1 / 100 us = 1e12 B/s. At 1 MB: excess 10 us - 1 us, 12 steps more, and 1.75 us on
  // the wire, over the gain of three ranks and more.
  const AllreduceEstimate estimate = two_ranks().time(8, Bytes(1e6));
  const double steps = 12 * (kRankLaw.step / microseconds(1));
  const double expected = 9.0 + steps + 1.75 / kRankLaw.pair_gain;
  EXPECT_NEAR(estimate.time / microseconds(1), expected, 1e-9);
  EXPECT_NEAR(estimate.low / microseconds(1), expected / (1 + kRankError), 1e-9);
  EXPECT_NEAR(estimate.high / microseconds(1), expected / (1 - kRankError), 1e-9);
  EXPECT_EQ(estimate.origin, Origin::fitted);
  EXPECT_EQ(estimate.note,
            "from 2 ranks (measured) by excess latency at 1000.0 GB/s bus bandwidth");
}

TEST(AllreduceFit, FewerRanksTakeTheStepsAway) {
  // From 4: B = 1.5e8 B / 300 us = 5e11 B/s, no excess; 2 ranks: 1e8 B at B over the gain.
  const AllreduceTable four({{4, Bytes(1e8), microseconds(300)}});
  EXPECT_NEAR(four.time(2, Bytes(1e8)).time / microseconds(1), 200.0 * kRankLaw.pair_gain, 1e-9);
}

TEST(AllreduceFit, BetweenTwoCountsBothLawsAreMixedByDistance) {
  const AllreduceTable table(
      {{4, Bytes(1e8), microseconds(300)}, {8, Bytes(1e8), microseconds(500)}});
  // From 4 with its 5e11 B/s: 5/3 * 1e8 B and four steps. From 8 with 3.5e11 B/s: the same wire,
  // steps taken from no excess. 6 lies half way.
  const double wire = 2.0 * 5.0 / 6.0 * 1e8;
  const double low = wire / 5e11 * 1e6 + 4 * (kRankLaw.step / microseconds(1));
  const double high = wire / 3.5e11 * 1e6;
  const AllreduceEstimate estimate = table.time(6, Bytes(1e8));
  EXPECT_NEAR(estimate.time / microseconds(1), (low + high) / 2, 1e-9);
  EXPECT_EQ(estimate.note, "between 4 and 8 ranks");
}

TEST(AllreduceFit, SizeThatRanFasterThanTheLargestHasNoNegativeLatency) {
  // B = 1e8 / 1 ms = 1e11 B/s, but 1 MB took only 1 us.
  const AllreduceTable table({{2, Bytes(1e6), microseconds(1)}, {2, Bytes(1e8), milliseconds(1)}});
  const double steps = 4 * (kRankLaw.step / microseconds(1));
  EXPECT_NEAR(table.time(4, Bytes(1e6)).time / microseconds(1), steps + 15.0 / kRankLaw.pair_gain,
              1e-9);
}

TEST(AllreduceFit, LinksBetweenPairsRefuseOtherRanksButNotMeasuredOnes) {
  const std::vector<AllreducePoint> points{{2, Bytes(1e6), microseconds(10)}};
  for (const Fabric fabric : {Fabric::mesh, Fabric::pcie}) {
    const AllreduceTable table(points, {.fabric = fabric});
    EXPECT_EQ(table.refusal(2), "");
    EXPECT_EQ(table.time(2, Bytes(1e6)).time, microseconds(10));
    EXPECT_NE(table.refusal(4).find("measure 4 ranks"), std::string::npos);
    EXPECT_EQ(error_of<DataError>([&] { (void)table.time(4, Bytes(1e6)); }), table.refusal(4));
  }
}

TEST(AllreduceFit, SumsInTheSwitchDoNotDependOnRanks) {
  const Surroundings nvls{.fabric = Fabric::nvls};
  const AllreduceTable four({{4, Bytes(1e6), microseconds(40)}, {4, Bytes(1e8), microseconds(500)}},
                            nvls);
  EXPECT_NEAR(four.time(8, Bytes(1e6)).time / microseconds(1), 40.0, 1e-9);
  // Two ranks form a ring: what eight would take in the switch is less, by the rates of both.
  const AllreduceTable two({{2, Bytes(1e8), microseconds(100)}}, nvls);
  const AllreduceEstimate eight = two.time(8, Bytes(1e8));
  EXPECT_NEAR(eight.low / eight.time, 370.0 / 480.0 / (1 + kRankError), 1e-9);
  EXPECT_NE(eight.note.find("sums in the switch would take less"), std::string::npos);
}

TEST(AllreduceFit, MoreNodesAddHopsAndTakeTheNetworksRate) {
  // 8 ranks: 1.75e8 B / 500 us = 3.5e11 B/s. At 1 MB: 55 us, of which 5 are the wire's. 32 ranks on
  // 4 nodes: 4 hops of 14 us, and 1.9375e6 B at 1e11 B/s.
  const AllreduceTable table(
      {{8, Bytes(1e6), microseconds(55)}, {8, Bytes(1e8), microseconds(500)}},
      {.network_bus = gbps(100)});
  const AllreduceEstimate estimate = table.time(32, Bytes(1e6));
  EXPECT_NEAR(estimate.time / microseconds(1), 50.0 + 4 * 14.0 + 19.375, 1e-9);
  EXPECT_EQ(estimate.note, "from 1 node (measured) by 14 us a hop and 100.0 GB/s bus bandwidth");
  EXPECT_NEAR(estimate.high / estimate.time, 1 / (1 - kNetworkError), 1e-12);
}

TEST(AllreduceFit, MeasuredNodesAreStartedFromAndTheirRateKept) {
  // 16 ranks on 2 nodes: 1.875e8 B / 2 ms = 9.375e10 B/s, no excess; 32: 2 hops.
  const AllreduceTable table(
      {{8, Bytes(1e8), microseconds(500)}, {16, Bytes(1e8), milliseconds(2), 2}});
  EXPECT_EQ(table.time(16, Bytes(1e8)).origin, Origin::measured);
  EXPECT_NEAR(table.time(32, Bytes(1e8)).time / microseconds(1),
              1.9375e8 / 9.375e10 * 1e6 + 2 * 14.0, 1e-6);
}

TEST(AllreduceFit, MoreNodesAreNeverFasterThanOne) {
  const AllreduceTable table({{8, Bytes(1e8), microseconds(500)}}, {.network_bus = gbps(10000)});
  EXPECT_EQ(table.time(16, Bytes(1e8)).time, microseconds(500));
}

TEST(AllreduceFit, NodesWithoutARateOrNotFullAreRefused) {
  const std::vector<AllreducePoint> points{{8, Bytes(1e8), microseconds(500)}};
  EXPECT_EQ(AllreduceTable(points).refusal(16),
            "16 ranks are 2 nodes of 8, and no allreduce over nodes was measured; give the "
            "network's bus bandwidth (--network-busbw), or all are one node (--ranks-per-node 16)");
  EXPECT_EQ(AllreduceTable(points, {.ranks_per_node = 16}).refusal(16), "");
  EXPECT_EQ(AllreduceTable(points, {.network_bus = gbps(100)}).refusal(12),
            "12 ranks do not fill nodes of 8 GPUs (--ranks-per-node)");
  EXPECT_EQ(AllreduceTable({{16, Bytes(1e8), milliseconds(2), 2}}).refusal(4),
            "no allreduce was measured on one node, as 4 ranks need");
}

TEST(AllreduceFit, TimeNeverFallsWithSizeOrRanksWhereTheMeasuredOnesDoNot) {
  // Two H200s, in place (data/measured/h200x2_nccltests_pow2.txt).
  const AllreduceTable table({{2, mib(1), microseconds(18.87)},
                              {2, mib(2), microseconds(29.46)},
                              {2, mib(4), microseconds(34.77)},
                              {2, mib(8), microseconds(48.75)},
                              {2, mib(16), microseconds(76.44)},
                              {2, mib(32), microseconds(136.24)}});
  for (const std::int64_t ranks : {2, 3, 4, 7}) {
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
            "no allreduce was measured, as 4 ranks need");
}

TEST(AllreduceFit, ValuesOutOfRangeAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(AllreduceTable({{1, mib(1), microseconds(1)}}), DataError);
  EXPECT_THROW(AllreduceTable({{3, mib(1), microseconds(1), 2}}), DataError);
  EXPECT_THROW(AllreduceTable({{2, Bytes(0), microseconds(1)}}), DataError);
  EXPECT_THROW(AllreduceTable({{2, mib(1), Seconds(0)}}), DataError);
  EXPECT_THROW(AllreduceTable({{2, mib(1), Seconds(infinity)}}), DataError);
  EXPECT_THROW((void)two_ranks().time(0, mib(1)), DataError);
  EXPECT_THROW((void)two_ranks().time(2, Bytes(0)), DataError);
  EXPECT_THROW((void)two_ranks().time(2, Bytes(infinity)), DataError);
}

}  // namespace
}  // namespace stepcast
