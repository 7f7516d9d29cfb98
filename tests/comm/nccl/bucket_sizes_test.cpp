// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/bucket_sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"

namespace stepcast {
namespace {

using Sizes = std::vector<std::int64_t>;

bool holds(const Sizes& sizes, const Sizes& wanted) {
  return std::includes(sizes.begin(), sizes.end(), wanted.begin(), wanted.end());
}

// In reverse registration order, worked out from the modules' parameters by DDP's rule.
TEST(BucketSizes, HoldThoseOfBothTargetModels) {
  EXPECT_TRUE(holds(bucket_sizes({"resnet152"}, mib(25)),
                    {8196000, 13148416, 26255360, 26556416, 26812416, 27863040, 31502336}));
  EXPECT_TRUE(holds(bucket_sizes({"vit_b_16"}, mib(25)), {2976768, 3076000, 28351488}));
}

// PyTorch 2.11 rebuilt its buckets to these in a real run (data/measured/h200_pytorch_buckets.csv).
TEST(BucketSizes, HoldThoseThatDdpRebuilds) {
  EXPECT_TRUE(holds(bucket_sizes({"resnet152"}, mib(25)),
                    {8192000, 13148416, 26255360, 26556416, 26812416, 27863040, 31506336}));
  EXPECT_TRUE(holds(bucket_sizes({"vit_b_16"}, mib(25)), {2985984, 3072000, 28346272, 28351488}));
}

// pytorch/pytorch#48880.
TEST(BucketSizes, FollowTheCap) {
  EXPECT_TRUE(holds(bucket_sizes({"resnet18"}, mib(25)), {2052000, 15853824, 28852224}));
  EXPECT_TRUE(holds(bucket_sizes({"resnet18"}, mib(35)), {2052000, 6408448, 38297600}));
}

TEST(BucketSizes, AscendOnceEach) {
  const Sizes sizes = bucket_sizes({"vit_b_16", "vit_b_16"}, mib(25));
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_EQ(std::adjacent_find(sizes.begin(), sizes.end()), sizes.end());
}

TEST(BucketSizes, UnknownModelIsAUsageError) {
  EXPECT_THROW((void)bucket_sizes({"resnet9"}, mib(25)), UsageError);
}

}  // namespace
}  // namespace stepcast
