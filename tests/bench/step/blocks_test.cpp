// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/step/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepcast {
namespace {

std::vector<Case> blocks(const char* model, RecipeKind kind) {
  return block_cases(make_model(model), {kind, DType::bf16, Layout::nhwc, 128, true});
}

const Case& find(const std::vector<Case>& cases, const std::string& name) {
  const auto found = std::find_if(cases.begin(), cases.end(),
                                  [&](const Case& block) { return block.name == name; });
  if (found == cases.end()) throw std::runtime_error("no case " + name);
  return *found;
}

std::int64_t count(const Case& block, Family family) {
  return std::count_if(block.ops.begin(), block.ops.end(),
                       [&](const Op& op) { return op.family == family; });
}

TEST(Blocks, ResNet152HasFiftyBottlenecksBothWays) {
  const auto cases = blocks("resnet152", RecipeKind::eager);
  EXPECT_EQ(cases.size(), 100U);  // 3 + 8 + 36 + 3 bottlenecks
}

TEST(Blocks, BottleneckHoldsItsThreeConvolutions) {
  const auto cases = blocks("resnet152", RecipeKind::eager);
  const Case& forward = find(cases, "resnet152/layer3.7/forward/eager/bf16/nhwc/n128");
  EXPECT_EQ(count(forward, Family::conv_fprop), 3);
  EXPECT_EQ(count(forward, Family::batchnorm_fwd), 3);
  const Case& backward = find(cases, "resnet152/layer3.7/backward/eager/bf16/nhwc/n128");
  EXPECT_EQ(count(backward, Family::conv_dgrad), 3);
  EXPECT_EQ(count(backward, Family::conv_wgrad), 3);
  // The first of a stage has the projection of its shortcut too.
  const Case& first = find(cases, "resnet152/layer3.0/forward/eager/bf16/nhwc/n128");
  EXPECT_EQ(count(first, Family::conv_fprop), 4);
}

TEST(Blocks, EncoderBlockHoldsItsLinearLayersAndAttention) {
  const auto cases = blocks("vit_b_16", RecipeKind::fused);
  EXPECT_EQ(cases.size(), 24U);  // 12 encoder blocks
  const Case& forward = find(cases, "vit_b_16/encoder.5/forward/fused/bf16/nhwc/n128");
  EXPECT_EQ(count(forward, Family::gemm_fprop), 4);  // qkv, projection, two of the MLP
  EXPECT_EQ(count(forward, Family::attention_fwd), 1);
  EXPECT_EQ(count(forward, Family::layernorm_fwd), 2);
}

}  // namespace
}  // namespace stepcast
