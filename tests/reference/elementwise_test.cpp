// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/reference/fill.hpp"
#include "tests/reference/gelu.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

using Values = std::vector<double>;

/// The last tensor after the op; outputs begin as -7, which none of the results is.
Values result(std::string_view key, Tensors inputs, std::size_t outputs) {
  inputs.emplace_back(outputs, -7.0);
  reference(parse(key), inputs);
  return inputs.back();
}

TEST(ReferenceElementwise, ByHand) {
  EXPECT_EQ(result("relu_fwd/native/fp32/flat/e3", {{-1, 0, 2}}, 3), (Values{0, 0, 2}));
  EXPECT_EQ(result("relu_bwd/native/fp32/flat/e3", {{5, 6, 7}, {0, 0, 2}}, 3), (Values{0, 0, 7}));
  EXPECT_EQ(result("add/native/bf16-fp32/flat/e2", {{1, 2}, {10, 20}}, 2), (Values{11, 22}));
  EXPECT_EQ(result("cast/native/fp32-bf16/flat/e2", {{1, -2}}, 2), (Values{1, -2}));
  EXPECT_EQ(result("copy/native/int64/flat/e2", {{3, 4}}, 2), (Values{3, 4}));
  EXPECT_EQ(result("scale/native/fp32/flat/e2", {{3, -4}}, 2), (Values{1.5, -2}));
  EXPECT_EQ(result("zero/native/fp32/flat/e2", {}, 2), (Values{0, 0}));
}

TEST(ReferenceElementwise, IncrementAddsOneInPlace) {
  Tensors tensors = {{41, 0}};
  reference(parse("increment/native/int64/flat/e2"), tensors);
  EXPECT_EQ(tensors[0], (Values{42, 1}));
}

// Phi(1) = 0.841344746068543, phi(1) = 0.241970724519143 (normal distribution).
TEST(ReferenceElementwise, GeluFollowsTheNormalDistribution) {
  EXPECT_NEAR(gelu(1.0), 0.841344746068543, 1e-14);
  EXPECT_NEAR(gelu(-1.0), -(1.0 - 0.841344746068543), 1e-14);
  EXPECT_EQ(gelu(0.0), 0.0);
  EXPECT_NEAR(gelu_derivative(1.0), 0.841344746068543 + 0.241970724519143, 1e-14);
  EXPECT_EQ(gelu_derivative(0.0), 0.5);
  EXPECT_EQ(result("gelu_fwd/cuda/fp32/flat/e2", {{1, 0}}, 2), (Values{gelu(1.0), 0}));
}

TEST(ReferenceElementwise, GeluBackwardIsTheDerivativeOfForward) {
  const Op fwd = parse("gelu_fwd/cuda/fp32/flat/e9");
  const Tensors forward = {{-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4}, Values(9)};
  const Op bwd = parse("gelu_bwd/cuda/fp32/flat/e9");
  Tensors backward = filled(bwd, 15);
  backward[1] = forward[0];
  reference(bwd, backward);
  expect_near(backward[2], numeric_gradient(fwd, forward, "x", "y", backward[0]), 1e-9);
}

// x[a=2][b=3][c=2] holds 100 a + 10 b + c.
TEST(ReferencePermute, SwapsTheFirstTwoDimensions) {
  EXPECT_EQ(result("permute/native/fp32/flat/a2b3c2",
                   {{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}}, 12),
            (Values{0, 1, 100, 101, 10, 11, 110, 111, 20, 21, 120, 121}));
}

TEST(ReferenceBias, AddsToEachRowAndSumsOverRows) {
  Tensors tensors = {{1, 2, 3, 4, 5, 6}, {10, 20, 30}};
  reference(parse("bias_add/native/fp32/row/m2n3"), tensors);
  EXPECT_EQ(tensors[0], (Values{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(result("bias_grad/native/fp32/row/m2n3", {{1, 2, 3, 4, 5, 6}}, 3), (Values{5, 7, 9}));
}

}  // namespace
}  // namespace stepcast
