// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/bandwidth.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stepcast {
namespace {

CeilingRow rate(const char* name, double value) {
  return {name, "", "bytes_per_s", value, 0, "r1", ""};
}

const std::vector<CeilingRow> kRows{rate("copy_bandwidth", 4e12), rate("bandwidth_r1w1", 3.9e12),
                                    rate("bandwidth_r1w0", 4.4e12), rate("bandwidth_r2w1", 4.2e12),
                                    rate("event_floor", 1e-6)};

TEST(Bandwidth, MeasuredMixHasItsOwnRate) {
  EXPECT_DOUBLE_EQ(bandwidth_at(kRows, 0)->count(), 4.4e12);
  EXPECT_DOUBLE_EQ(bandwidth_at(kRows, 1.0 / 3)->count(), 4.2e12);
}

TEST(Bandwidth, BetterOfTwoCopiesCounts) {
  EXPECT_DOUBLE_EQ(bandwidth_at(kRows, 0.5)->count(), 4e12);
}

TEST(Bandwidth, BetweenTwoMixesTheTimeOfAByteIsInterpolated) {
  const double half_way = 2.0 / (1.0 / 4.4e12 + 1.0 / 4.2e12);
  EXPECT_NEAR(bandwidth_at(kRows, 1.0 / 6)->count(), half_way, 1e3);
}

TEST(Bandwidth, BeyondTheLastMixItsRateHolds) {
  EXPECT_DOUBLE_EQ(bandwidth_at(kRows, 1)->count(), 4e12);
}

TEST(Bandwidth, NoRateWithoutARow) {
  EXPECT_FALSE(bandwidth_at({}, 0.5));
  EXPECT_FALSE(bandwidth_at(std::vector{rate("event_floor", 1e-6)}, 0.5));
}

}  // namespace
}  // namespace stepcast
