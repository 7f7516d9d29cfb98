// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/fill.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

// Rows (0, ln 3) and (0, 0): probabilities (1/4, 3/4) and (1/2, 1/2). Labels 1 and 0.
TEST(ReferenceCrossEntropy, IsTheMeanOfTheNegativeLogarithms) {
  const Op op = parse("cross_entropy_fwd/native/fp32/row/m2n2");
  Tensors tensors = {{0, std::log(3.0), 0, 0}, {1, 0}, std::vector<double>(4), {0}};
  reference(op, tensors);
  expect_near(tensors[2], {std::log(0.25), std::log(0.75), std::log(0.5), std::log(0.5)}, 1e-15);
  expect_near(tensors[3], {-(std::log(0.75) + std::log(0.5)) / 2.0}, 1e-15);
}

TEST(ReferenceCrossEntropy, BackwardIsSoftmaxLessTheLabelOverTheRows) {
  const Op op = parse("cross_entropy_bwd/native/fp32/row/m2n2");
  Tensors tensors = {
      {0, std::log(3.0), 0, 0}, {1, 0}, std::vector<double>(4), std::vector<double>(4)};
  derive(op, tensors);
  reference(op, tensors);
  expect_near(tensors[3], {0.125, -0.125, -0.25, 0.25}, 1e-15);
}

TEST(ReferenceCrossEntropy, BackwardIsTheDerivativeOfForward) {
  const Op fwd = parse("cross_entropy_fwd/native/fp32/row/m3n5");
  const Op bwd = parse("cross_entropy_bwd/native/fp32/row/m3n5");
  Tensors backward = computed(bwd, 19);
  Tensors forward = {backward[0], backward[1], std::vector<double>(15), {0}};
  reference(fwd, forward);
  EXPECT_EQ(forward[2], backward[2]);  // derive() is the forward pass
  expect_near(backward[3], numeric_gradient(fwd, forward, "logits", "loss", {1.0}), 1e-9);
}

TEST(ReferenceCrossEntropy, SurvivesLogitsWhoseExponentialOverflows) {
  const Op op = parse("cross_entropy_fwd/native/fp32/row/m1n2");
  Tensors tensors = {{1000, 0}, {1}, {0, 0}, {0}};
  reference(op, tensors);
  EXPECT_EQ(tensors[3][0], 1000.0);
}

}  // namespace
}  // namespace stepcast
