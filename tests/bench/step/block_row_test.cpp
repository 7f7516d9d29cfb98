// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/step/block_row.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

const Case kBlock{"m/block/forward",
                  {parse("copy/cuda/fp32/flat/e1000000"), parse("copy/cuda/fp32/flat/e100")}};
const std::vector<Alone> kAlone{{0, microseconds(10), microseconds(6)},
                                {2, microseconds(4), microseconds(2)}};

TEST(BlockRow, SumTakesColdOrHotByTheRule) {
  BlockTiming timing;
  timing.chained.summary.median = 11e-6;
  timing.apart.summary.median = 12e-6;
  // The first copy moves 8 MB, more than this L2; the second fits.
  const BlockRow row = block_row(kBlock, kAlone, timing, Bytes(1e6), "r1");
  EXPECT_DOUBLE_EQ(row.sum_s, 12e-6);
  EXPECT_DOUBLE_EQ(row.sum_cold_s, 14e-6);
  EXPECT_DOUBLE_EQ(row.sum_hot_s, 8e-6);
  EXPECT_NEAR(row.difference, -1.0 / 12.0, 1e-12);
  EXPECT_EQ(row.apart_s, 12e-6);
  EXPECT_EQ(row.ops, 2);
}

TEST(BlockRow, BlockThatDidNotRunHasItsReasonAndNoNumbers) {
  BlockTiming timing;
  timing.status = RowStatus::failed;
  timing.reason = "too little memory";
  const BlockRow row = block_row(kBlock, {}, timing, Bytes(1e6), "r1");
  EXPECT_EQ(row.status, RowStatus::failed);
  EXPECT_EQ(row.reason, "too little memory");
  EXPECT_EQ(row.sum_s, 0);
}

TEST(BlockRow, EqualBlocksAreOneAndOpsAreNone) {
  Case second = kBlock;
  second.name = "m/another/forward";
  const std::vector<Case> cases{kBlock, second, {"m/op", {kBlock.ops[0]}}};
  const auto blocks = distinct_blocks(cases);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].name, "m/block/forward");
}

}  // namespace
}  // namespace stepcast
