// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyAttention = VerifyTest;

// Fewer tokens than a tile has rows, remainders, ViT's 197 tokens, heads wider than a tile.
const std::vector<std::string> kShapes{"b1h1s3d8", "b2h3s65d16", "b1h2s197d64", "b3h2s50d72"};

TEST_P(VerifyAttention, FindsFaultsInTheResult) { expect_shapes("attention_fwd", kShapes); }
TEST_P(VerifyAttention, FindsFaultsInTheGradients) { expect_shapes("attention_bwd", kShapes); }

// 3000 x 3000 scores: three heads fit into memory for scores at a time, so that five need two runs.
TEST_F(PlanTest, VerifyAttentionGoesOnWhereHeadsDoNotFitAtOnce) {
  expect_verified("attention_fwd/cudnn/fp16/sbhd/b1h5s3000d8");
}

INSTANTIATE_TEST_SUITE_P(All, VerifyAttention,
                         testing::ValuesIn(key_cases({"cudnn"}, {"fp32", "tf32", "fp16", "bf16"},
                                                     {"bshd", "sbhd"})),
                         case_name);

}  // namespace
}  // namespace stepcast
