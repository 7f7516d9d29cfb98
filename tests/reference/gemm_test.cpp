// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/fill.hpp"
#include "tests/reference/gelu.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

TEST(ReferenceGemm, MultipliesByTheTransposedWeight) {
  const Op op = parse("gemm_fprop/cublaslt/fp32/row/m2n3k2");
  // Rows (1,2) and (3,4) times the weight's rows (1,0), (0,1), (1,1).
  Tensors tensors = {{1, 2, 3, 4}, {1, 0, 0, 1, 1, 1}, std::vector<double>(6)};
  reference(op, tensors);
  EXPECT_EQ(tensors[2], (std::vector<double>{1, 2, 3, 3, 4, 7}));
}

TEST(ReferenceGemm, AddsTheBiasOfEachColumn) {
  const Op op = parse("gemm_fprop+bias/cublaslt/fp32/row/m2n2k1");
  Tensors tensors = {{1, 2}, {10, 20}, {1, -1}, std::vector<double>(4)};
  reference(op, tensors);
  EXPECT_EQ(tensors[3], (std::vector<double>{11, 19, 21, 39}));
}

// GELU(1) = Phi(1) = 0.841344746, GELU(-2) = -2 Phi(-2) = -0.045500264 (normal distribution).
TEST(ReferenceGemm, KeepsTheSumThatGeluIsAppliedTo) {
  const Op op = parse("gemm_fprop+bias_gelu/cublaslt/fp32/row/m1n2k1");
  Tensors tensors = {{1}, {2, -3}, {-1, 1}, std::vector<double>(2), std::vector<double>(2)};
  reference(op, tensors);
  EXPECT_EQ(tensors[4], (std::vector<double>{1, -2}));
  expect_near(tensors[3], {0.841344746, -0.045500264}, 1e-9);
}

TEST(ReferenceGemm, GradientsAreThoseOfTheForwardPass) {
  const Op fprop = parse("gemm_fprop/cublaslt/fp32/row/m3n4k5");
  const Tensors forward = computed(fprop, 3);
  const Op dgrad = parse("gemm_dgrad/cublaslt/fp32/row/m3n4k5");
  Tensors data = filled(dgrad, 4);
  data[1] = forward[1];
  reference(dgrad, data);
  const std::vector<double>& dy = data[0];
  EXPECT_NEAR(inner(dy, forward[2]), inner(data[2], forward[0]), 1e-13);
  expect_near(data[2], numeric_gradient(fprop, forward, "x", "y", dy), 1e-8);
  const Op wgrad = parse("gemm_wgrad/cublaslt/fp32/row/m3n4k5");
  Tensors weights = {dy, forward[0], std::vector<double>(20)};
  reference(wgrad, weights);
  EXPECT_NEAR(inner(dy, forward[2]), inner(weights[2], forward[1]), 1e-13);
  expect_near(weights[2], numeric_gradient(fprop, forward, "w", "y", dy), 1e-8);
}

// Rows of one operand times rows of the other, in every direction.
TEST(ReferenceGemm, OperandsOfE4m3LieWithTheSummedDimensionFastest) {
  const Op dgrad = parse("gemm_dgrad/cublaslt/e4m3-bf16/row/m2n3k2");
  // dy's rows (1,2,3) and (4,5,6) times (1,0,0) and (0,1,1), the columns of w[n,k].
  Tensors data = {{1, 2, 3, 4, 5, 6}, {1, 0, 0, 0, 1, 1}, std::vector<double>(4)};
  reference(dgrad, data);
  EXPECT_EQ(data[2], (std::vector<double>{1, 5, 4, 11}));
  const Op wgrad = parse("gemm_wgrad/cublaslt/e4m3-bf16/row/m2n3k2");
  // The columns (1,2), (3,4) and (5,6) of dy[m,n] times (1,0) and (1,1), those of x[m,k].
  Tensors weights = {{1, 2, 3, 4, 5, 6}, {1, 0, 1, 1}, std::vector<double>(6)};
  reference(wgrad, weights);
  EXPECT_EQ(weights[2], (std::vector<double>{1, 3, 3, 7, 5, 11}));
}

TEST(ReferenceGemm, BiasGradientIsThatOfTheForwardPass) {
  const Op fprop = parse("gemm_fprop+bias/cublaslt/fp32/row/m3n4k5");
  const Tensors forward = computed(fprop, 5);
  const Op wgrad = parse("gemm_wgrad+bgrad/cublaslt/fp32/row/m3n4k5");
  Tensors weights = filled(wgrad, 6);
  weights[1] = forward[0];
  reference(wgrad, weights);
  expect_near(weights[3], numeric_gradient(fprop, forward, "bias", "y", weights[0]), 1e-8);
}

// A linear layer of 2 to 3 behind GELU: dgrad's aux is what GELU was applied to.
TEST(ReferenceGemm, DgeluIsTheDerivativeThroughGelu) {
  const Op dgrad = parse("gemm_dgrad+dgelu/cublaslt/fp32/row/m2n3k2");
  Tensors data = computed(dgrad, 7);
  const Op fprop = parse("gemm_fprop/cublaslt/fp32/row/m2n3k2");
  const auto& dy = data[0];
  const auto& w = data[1];
  const auto& aux = data[2];
  const auto& dx = data[3];
  const auto loss = [&](std::size_t i, double by) {
    std::vector<double> moved = aux;
    moved[i] += by;
    for (double& value : moved) value = gelu(value);
    Tensors tensors = {moved, w, std::vector<double>(6)};
    reference(fprop, tensors);
    return inner(dy, tensors[2]);
  };
  for (std::size_t i = 0; i < dx.size(); ++i) {
    EXPECT_NEAR(dx[i], (loss(i, 1e-5) - loss(i, -1e-5)) / 2e-5, 1e-8) << i;
  }
}

}  // namespace
}  // namespace stepcast
