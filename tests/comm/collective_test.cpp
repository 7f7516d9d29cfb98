// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/collective.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace stepcast {
namespace {

TEST(Collective, BusFactorGrowsFromNothingTowardsTwo) {
  EXPECT_EQ(bus_factor(1), 0.0);
  EXPECT_EQ(bus_factor(2), 1.0);
  EXPECT_EQ(bus_factor(4), 1.5);
  EXPECT_EQ(bus_factor(8), 1.75);
  EXPECT_THROW((void)bus_factor(0), DataError);
}

TEST(Collective, WireBytesAreTheBusFactorTimesThePayload) {
  EXPECT_EQ(wire_bytes(8, mib(8)), mib(14));
  EXPECT_EQ(wire_bytes(1, mib(8)), Bytes(0));
}

// A line of nccl-tests on 8 V100s: 134217728 bytes, 1818.80 us, 73.80 and 129.14 GB/s
// (data/published/nccl_logs/v100x8_sxm2_16gb_1node.txt). The time is rounded to 0.1 us.
TEST(Collective, BandwidthsAreThoseThatNcclTestsPrints) {
  EXPECT_NEAR(algorithm_bandwidth(Bytes(134217728), microseconds(1818.80)) / gbps(1), 73.80, 0.01);
  EXPECT_NEAR(bus_bandwidth(8, Bytes(134217728), microseconds(1818.80)) / gbps(1), 129.14, 0.01);
}

TEST(Collective, TimeThatIsNotPositiveIsRefused) {
  EXPECT_THROW((void)algorithm_bandwidth(mib(1), Seconds(0)), DataError);
  EXPECT_THROW((void)bus_bandwidth(2, mib(1), Seconds(-1)), DataError);
}

}  // namespace
}  // namespace stepcast
