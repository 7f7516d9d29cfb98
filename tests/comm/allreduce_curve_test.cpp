// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/allreduce_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "comm/allreduce_law.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

TEST(AllreduceCurve, RisesBetweenPointsThatFallAndKeepsTheirTimes) {
  // 12 and 8 us fall: between them both count as sqrt(96) us.
  const AllreduceCurve curve({{mib(1), microseconds(5)},
                              {mib(2), microseconds(12)},
                              {mib(4), microseconds(8)},
                              {mib(8), microseconds(20)}});
  EXPECT_EQ(curve.time(mib(2)).time, microseconds(12));
  EXPECT_EQ(curve.time(mib(2)).origin, Origin::measured);
  EXPECT_EQ(curve.time(mib(4)).time, microseconds(8));
  EXPECT_NEAR(curve.time(mib(3)).time / microseconds(1), std::sqrt(96.0), 1e-9);
  Seconds before;
  for (double size = 1.01; size < 8.0; size *= 1.07) {
    const AllreduceEstimate estimate = curve.time(mib(size));
    EXPECT_GE(estimate.time, before) << size;
    EXPECT_EQ(estimate.origin, Origin::fitted);
    before = estimate.time;
  }
}

TEST(AllreduceCurve, PoolsGrowBackwardsUntilTheCurveRises) {
  // 6, 5 pool to sqrt(30) = 5.48; the 4 behind them draws both down to the mean of all three.
  const AllreduceCurve curve(
      {{mib(1), microseconds(6)}, {mib(2), microseconds(5)}, {mib(4), microseconds(4)}});
  const double mean = std::cbrt(6.0 * 5.0 * 4.0);
  for (const double size : {0.5, 1.5, 3.0}) {
    EXPECT_NEAR(curve.time(mib(size)).time / microseconds(1), mean, 1e-9);
  }
}

TEST(AllreduceCurve, IntervalLiesBetweenTheMeasuredNeighbours) {
  const AllreduceCurve flat({{mib(1), microseconds(10)}, {mib(2), microseconds(10.1)}});
  const AllreduceEstimate between = flat.time(mib(1.5));
  EXPECT_EQ(between.low, microseconds(10));
  EXPECT_EQ(between.high, microseconds(10.1));
  // A factor of two in time is wider than the usual error of a size in between.
  const AllreduceCurve steep({{mib(1), microseconds(10)}, {mib(2), microseconds(20)}});
  const AllreduceEstimate at = steep.time(mib(std::sqrt(2.0)));
  EXPECT_NEAR(at.low / at.time, 1.0 / (1.0 + kSizeError), 1e-12);
  EXPECT_NEAR(at.high / at.time, 1.0 / (1.0 - kSizeError), 1e-12);
}

TEST(AllreduceCurve, WithoutPointsIsRefused) { EXPECT_THROW(AllreduceCurve({}), DataError); }

TEST(AllreduceCurve, PayloadsAreNamedInBinaryUnits) {
  EXPECT_EQ(payload_text(Bytes(512)), "512 B");
  EXPECT_EQ(payload_text(kib(64)), "64 KiB");
  EXPECT_EQ(payload_text(mib(25)), "25 MiB");
}

}  // namespace
}  // namespace stepcast
