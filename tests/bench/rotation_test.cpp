// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/rotation.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace stepcast {
namespace {

constexpr std::int64_t kMost = 64;
const Bytes kFlush(100e6);

TEST(RotationSets, OthersTogetherHoldTheFlush) {
  EXPECT_EQ(rotation_sets(Bytes(10e6), kFlush, kMost), 11);
  EXPECT_EQ(rotation_sets(Bytes(30e6), kFlush, kMost), 5);
  EXPECT_EQ(rotation_sets(Bytes(100e6), kFlush, kMost), 2);
}

TEST(RotationSets, AtLeastTwoAndAtMostTheLimit) {
  EXPECT_EQ(rotation_sets(Bytes(5e9), kFlush, kMost), 2);
  EXPECT_EQ(rotation_sets(Bytes(1e3), kFlush, kMost), kMost);
  EXPECT_EQ(rotation_sets(Bytes(0), kFlush, kMost), kMost);
}

/// Bytes of other sets that pass between two uses of a set, the least of two groups in a row.
double least_between(const Rotation& rotation, std::int64_t executions) {
  std::vector<std::int64_t> order;
  for (int group = 0; group < 2; ++group) {
    for (std::int64_t i = 0; i <= executions; ++i) order.push_back(i % rotation.sets);
  }
  double least = 1e18;
  for (std::size_t later = 0; later < order.size(); ++later) {
    for (std::size_t earlier = later; earlier-- > 0;) {
      if (order[earlier] != order[later]) continue;
      const auto others = static_cast<double>(later - earlier - 1);
      least = std::min(least, others * rotation.footprint.count());
      break;
    }
  }
  return least;
}

TEST(RotationGroup, NoSetComesBackBeforeTheFlushHasPassed) {
  for (const double footprint : {2e6, 7e6, 33e6, 50e6, 99e6, 100e6, 400e6}) {
    for (const double one : {1e-6, 5e-6, 2e-5, 3e-4, 2e-3}) {
      const Bytes bytes(footprint);
      const Rotation rotation{rotation_sets(bytes, kFlush, kMost), 2, bytes, kFlush};
      const auto group = rotation_group(rotation, Seconds(one), milliseconds(0.7), 512);
      EXPECT_GE(group.executions, 1);
      if (group.flush) {
        EXPECT_LT(group.executions, rotation.sets) << footprint << " " << one;
      } else {
        EXPECT_GE(least_between(rotation, group.executions), kFlush.count())
            << footprint << " " << one;
      }
    }
  }
}

TEST(RotationGroup, TakesAboutItsTime) {
  const Rotation rotation{5, 2, Bytes(30e6), kFlush};
  const auto group = rotation_group(rotation, microseconds(10), milliseconds(0.7), 512);
  EXPECT_EQ(group.executions, 8 * 5 - 1);  // 0.4 ms; twice that would be too long
  EXPECT_FALSE(group.flush);
}

TEST(RotationGroup, LargeOperandsNeedTwoExecutions) {
  const Rotation rotation{2, 2, Bytes(500e6), kFlush};
  const auto group = rotation_group(rotation, milliseconds(3), milliseconds(0.7), 512);
  EXPECT_EQ(group.executions, 1);
  EXPECT_FALSE(group.flush);
}

TEST(RotationGroup, SmallOperandsAreFlushed) {
  const Rotation rotation{kMost, 2, Bytes(1e3), kFlush};
  const auto group = rotation_group(rotation, microseconds(2), milliseconds(0.7), 512);
  EXPECT_EQ(group.executions, kMost - 1);
  EXPECT_TRUE(group.flush);
}

TEST(RotationGroup, LongExecutionsOnSmallOperandsAreFlushed) {
  const Rotation rotation{21, 2, Bytes(5e6), kFlush};
  const auto group = rotation_group(rotation, milliseconds(1), milliseconds(0.7), 512);
  EXPECT_EQ(group.executions, 1);
  EXPECT_TRUE(group.flush);
}

TEST(RotationGroup, LimitOfExecutionsIsKept) {
  const Rotation rotation{11, 2, Bytes(10e6), kFlush};
  EXPECT_LE(rotation_group(rotation, microseconds(1), milliseconds(0.7), 40).executions, 40);
  const auto few = rotation_group(rotation, microseconds(1), milliseconds(0.7), 5);
  EXPECT_LE(few.executions, 5);
  EXPECT_TRUE(few.flush);
}

}  // namespace
}  // namespace stepcast
