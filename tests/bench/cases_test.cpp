// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

std::vector<Case> all_cases() { return list_cases(BenchOptions{}).cases; }

bool has(const std::vector<Case>& cases, const std::string& name) {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const Case& candidate) { return candidate.name == name; });
}

TEST(Cases, NamesAreUnique) {
  const std::vector<Case> cases = all_cases();
  std::set<std::string> names;
  for (const Case& candidate : cases) {
    EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
  }
  EXPECT_GT(names.size(), 4000U);  // two models, two precisions, two recipes
}

TEST(Cases, PlacesAreNamedByModelLayerDirectionProviderPrecisionLayoutAndBatch) {
  const std::vector<Case> cases = all_cases();
  EXPECT_TRUE(has(cases, "resnet152/layer3.7.conv2/fprop/cudnn/bf16/nhwc/n128"));
  EXPECT_TRUE(has(cases, "resnet152/layer3.7.conv2/wgrad/cudnn/fp16/nhwc/n128/fused"));
}

TEST(Cases, FilterFindsAConvolutionByItsPlace) {
  const auto found = filtered(all_cases(), "resnet152/layer3.*conv2.*fprop.*bf16.*nhwc");
  // 36 blocks in layer3 of ResNet-152, in two recipes; no other direction, precision or layer.
  EXPECT_EQ(found.size(), 72U);
  for (const Case& one : found) {
    EXPECT_EQ(one.ops.front().family, Family::conv_fprop) << one.name;
    EXPECT_EQ(one.ops.front().in, DType::bf16) << one.name;
  }
}

TEST(Cases, FilterMatchesTheNameThatGoogleBenchmarkShows) {
  const std::vector<Case> cases{{"m/a", {}}, {"m/b", {}}};
  EXPECT_EQ(filtered(cases, "").size(), 2U);
  EXPECT_EQ(filtered(cases, "all").size(), 2U);
  EXPECT_EQ(filtered(cases, "-/a").size(), 1U);
  EXPECT_EQ(filtered(cases, "^m/(a|c)/iterations:1/manual_time$").front().name, "m/a");
  EXPECT_TRUE(testing::error_of<UsageError>([&] {
                filtered(cases, "(");
              }).starts_with("--benchmark_filter: '('"));
}

TEST(Cases, PlacesOfOneOpAreOneMeasurement) {
  Op op;
  op.shape = ElementsShape{8};
  Op other = op;
  other.shape = ElementsShape{9};
  const std::vector<Case> cases{{"a", {op}}, {"b", {other}}, {"c", {op}}, {"block", {op, other}}};
  EXPECT_EQ(identity(cases[0]), identity(cases[2]));
  EXPECT_NE(identity(cases[0]), identity(cases[1]));
  EXPECT_EQ(identity(cases[3]), key(op) + " " + key(other));
  EXPECT_EQ(distinct_ops(cases), (std::vector<Op>{op, other}));
}

TEST(Cases, E4m3HasTheThreeProductsOfEachLinearLayer) {
  BenchOptions options;
  options.models = {"vit_b_16"};
  options.precisions = {DType::e4m3};
  const Cases listed = list_cases(options);
  // 12 blocks of 4 linear layers and the head, in 3 directions.
  EXPECT_EQ(listed.cases.size(), 3U * (12 * 4 + 1));
  for (const Case& one : listed.cases) {
    ASSERT_EQ(one.ops.size(), 1U) << one.name;
    EXPECT_EQ(parse(key(one.ops.front())), one.ops.front()) << one.name;
    EXPECT_EQ(types_text(one.ops.front()), "e4m3-bf16") << one.name;
  }
  EXPECT_TRUE(has(listed.cases, "vit_b_16/encoder.0.mlp.fc1/fprop/cublaslt/e4m3/nhwc/n128/fused"));
  EXPECT_EQ(listed.notes,
            std::vector<std::string>{
                "vit_b_16, e4m3: the products of the fused recipe's linear layers alone"});
}

TEST(Cases, RepeatedBlocksOfResNetShareTheirOps) {
  BenchOptions options;
  options.models = {"resnet152"};
  options.precisions = {DType::bf16};
  options.recipes = {RecipeKind::eager};
  const std::vector<Case> cases = list_cases(options).cases;
  EXPECT_GT(cases.size(), 5 * distinct_ops(cases).size());
}

}  // namespace
}  // namespace stepcast
