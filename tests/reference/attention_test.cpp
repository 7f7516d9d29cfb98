// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/fill.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

// d = 4, so scores are halved. q is 2 in its first element; k is (1) and (1 + 2 ln 3): the scores
// are 1 and 1 + 2 ln 3, after halving and times 2. They differ by a factor 9: p = (0.1, 0.9).
TEST(ReferenceAttention, WeighsValuesByTheSoftmaxByHand) {
  const Op op = parse("attention_fwd/cudnn/fp16/bshd/b1h1s2d4");
  const double second = 1.0 + 2.0 * std::log(3.0);
  Tensors tensors = {{2, 0, 0, 0, 2, 0, 0, 0},
                     {1, 0, 0, 0, second, 0, 0, 0},
                     {10, 0, 0, 1, 20, 0, 0, 2},
                     std::vector<double>(8),
                     std::vector<double>(2)};
  reference(op, tensors);
  expect_near(tensors[3], {19, 0, 0, 1.9, 19, 0, 0, 1.9}, 1e-12);
  expect_near(tensors[4], {1.0 + std::log(10.0), 1.0 + std::log(10.0)}, 1e-12);
}

// The same tokens stored as [b,s,h,d] and as [s,b,h,d].
TEST(ReferenceAttention, LayoutsHoldTheSameNumbersInAnotherOrder) {
  const std::size_t b = 2;
  const std::size_t s = 3;
  const std::size_t row = 2 * 4;
  const Op bshd = parse("attention_fwd/cudnn/fp16/bshd/b2h2s3d4");
  const Op sbhd = parse("attention_fwd/cudnn/fp16/sbhd/b2h2s3d4");
  const auto turned = [&](const std::vector<double>& from) {
    std::vector<double> to(from.size());
    for (std::size_t i = 0; i < b; ++i) {
      for (std::size_t j = 0; j < s; ++j) {
        for (std::size_t e = 0; e < row; ++e)
          to[(j * b + i) * row + e] = from[(i * s + j) * row + e];
      }
    }
    return to;
  };
  const Tensors first = computed(bshd, 8);
  Tensors second = first;
  for (std::size_t i = 0; i < 3; ++i) second[i] = turned(first[i]);
  reference(sbhd, second);
  EXPECT_EQ(second[3], turned(first[3]));
  EXPECT_EQ(second[4], first[4]);  // stats are [b,h,s] in both
}

TEST(ReferenceAttention, SurvivesScoresWhoseExponentialOverflows) {
  const Op op = parse("attention_fwd/cudnn/fp16/bshd/b1h1s2d1");
  Tensors tensors = {
      {1000, 1000}, {1000, 0}, {3, 4}, std::vector<double>(2), std::vector<double>(2)};
  reference(op, tensors);
  EXPECT_EQ(tensors[3], (std::vector<double>{3, 3}));
  EXPECT_EQ(tensors[4], (std::vector<double>{1e6, 1e6}));
}

class ReferenceAttentionGradients : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceAttentionGradients, AreTheDerivativesOfTheForwardPass) {
  const Op fwd = parse(std::string("attention_fwd") + GetParam());
  const Op bwd = parse(std::string("attention_bwd") + GetParam());
  Tensors backward = computed(bwd, 9);
  Tensors forward = {backward[0], backward[1], backward[2], backward[4], backward[5]};
  reference(fwd, forward);
  EXPECT_EQ(forward[3], backward[4]);  // derive() is the forward pass
  EXPECT_EQ(forward[4], backward[5]);
  const std::vector<double>& gradient = backward[3];
  expect_near(backward[6], numeric_gradient(fwd, forward, "q", "o", gradient), 1e-8);
  expect_near(backward[7], numeric_gradient(fwd, forward, "k", "o", gradient), 1e-8);
  expect_near(backward[8], numeric_gradient(fwd, forward, "v", "o", gradient), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ReferenceAttentionGradients,
                         ::testing::Values("/cudnn/fp16/bshd/b2h2s3d4",
                                           "/cublaslt/fp32/sbhd/b2h2s3d4"));

}  // namespace
}  // namespace stepcast
