// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "tests/reference/fill.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

// One channel of 1, 3, 5, 7: mean 4, biased variance 5, unbiased 20/3.
TEST(ReferenceBatchNorm, NormalisesByTheBiasedVarianceAndTracksTheUnbiased) {
  const Op op = parse("batchnorm_fwd/cudnn/fp32/nchw/n2c1h1w2");
  // x, gamma, beta, running mean and variance, y, saved mean and 1 / standard deviation
  Tensors tensors = {{1, 3, 5, 7}, {2}, {10}, {1}, {2}, std::vector<double>(4), {0}, {0}};
  reference(op, tensors);
  const double invstd = 1.0 / std::sqrt(5.00001);
  expect_near(tensors[3], {0.9 * 1 + 0.1 * 4}, 1e-15);
  expect_near(tensors[4], {0.9 * 2 + 0.1 * 20.0 / 3.0}, 1e-15);
  expect_near(tensors[5], {10 - 6 * invstd, 10 - 2 * invstd, 10 + 2 * invstd, 10 + 6 * invstd},
              1e-14);
  expect_near(tensors[6], {4}, 1e-15);
  expect_near(tensors[7], {invstd}, 1e-15);
}

// Channels (0, 2) and (10, 30) have invstd near 1 and 0.1; interleaved in nhwc.
TEST(ReferenceBatchNorm, KeepsChannelsApartInBothLayouts) {
  const Op last = parse("batchnorm_fwd/cudnn/fp32/nhwc/n1c2h1w2");
  Tensors tensors = {{0, 10, 2, 30},         {1, 1}, {0, 0}, {0, 0}, {1, 1},
                     std::vector<double>(4), {0, 0}, {0, 0}};
  reference(last, tensors);
  EXPECT_EQ(tensors[6], (std::vector<double>{1, 20}));
  expect_near(tensors[5], {-1, -1, 1, 1}, 1e-5);
  const Op first = parse("batchnorm_fwd/cudnn/fp32/nchw/n1c2h1w2");
  tensors[0] = {0, 2, 10, 30};
  reference(first, tensors);
  EXPECT_EQ(tensors[6], (std::vector<double>{1, 20}));
  expect_near(tensors[5], {-1, 1, -1, 1}, 1e-5);
}

TEST(ReferenceBatchNorm, AddsTheResidualBeforeRelu) {
  const Op op = parse("batchnorm_fwd+add_relu/cudnn/fp32/nchw/n1c1h1w2");
  Tensors tensors = {{0, 2}, {1}, {0}, {3, -2}, {0}, {1}, {0, 0}, {0}, {0}};
  reference(op, tensors);
  expect_near(tensors[6], {2, 0}, 1e-5);  // -1 + 3, and 1 - 2 cut off
}

TEST(ReferenceBatchNorm, RefusesAChannelOfOneValue) {
  const Op op = parse("batchnorm_fwd/cudnn/fp32/nchw/n1c3h1w1");
  Tensors tensors = filled(op, 1);
  EXPECT_THROW(reference(op, tensors), DataError);
}

class ReferenceBatchNormGradients : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceBatchNormGradients, AreTheDerivativesOfTheForwardPass) {
  const std::string text = GetParam();
  const Op fwd = parse("batchnorm_fwd" + text);
  const Op bwd = parse("batchnorm_bwd" + text);
  Tensors forward = computed(fwd, 11);
  Tensors backward = filled(bwd, 12);
  tensor(bwd, backward, "x") = tensor(fwd, forward, "x");
  tensor(bwd, backward, "gamma") = tensor(fwd, forward, "gamma");
  tensor(bwd, backward, "save_mean") = tensor(fwd, forward, "save_mean");
  tensor(bwd, backward, "save_invstd") = tensor(fwd, forward, "save_invstd");
  if (fwd.epilogue != Epilogue::none) tensor(bwd, backward, "y") = tensor(fwd, forward, "y");
  reference(bwd, backward);
  const auto& dy = tensor(bwd, backward, "dy");
  const auto expected = [&](std::string_view of) {
    return numeric_gradient(fwd, forward, of, "y", dy);
  };
  expect_near(tensor(bwd, backward, "dx"), expected("x"), 1e-8);
  expect_near(tensor(bwd, backward, "dgamma"), expected("gamma"), 1e-8);
  expect_near(tensor(bwd, backward, "dbeta"), expected("beta"), 1e-8);
  if (fwd.epilogue == Epilogue::add_relu) {
    expect_near(tensor(bwd, backward, "dz"), expected("z"), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Epilogues, ReferenceBatchNormGradients,
                         ::testing::Values("/cudnn/fp32/nchw/n2c3h2w3", "/cuda/fp32/nhwc/n2c3h2w3",
                                           "+relu/cuda/fp32/nchw/n2c3h2w3",
                                           "+relu/cuda/fp32/nhwc/n2c3h2w3",
                                           "+add_relu/cuda/fp32/nchw/n2c3h2w3",
                                           "+add_relu/cuda/fp32/nhwc/n2c3h2w3"));

// A row of 0, 2, 4, 6: mean 3, variance 5.
TEST(ReferenceLayerNorm, NormalisesEachRowByHand) {
  const Op op = parse("layernorm_fwd/native/fp32/row/m2n4");
  Tensors tensors = {{0, 2, 4, 6, 1, 1, 1, 1}, {1, 2, 1, 1}, {0, 0, 0, 5},
                     std::vector<double>(8),   {0, 0},       {0, 0}};
  reference(op, tensors);
  const double invstd = 1.0 / std::sqrt(5.000001);
  expect_near(tensors[3], {-3 * invstd, -2 * invstd, invstd, 5 + 3 * invstd, 0, 0, 0, 5}, 1e-14);
  EXPECT_EQ(tensors[4], (std::vector<double>{3, 1}));
  expect_near(tensors[5], {invstd, 1000.0}, 1e-10);  // 1 / sqrt(1e-6)
}

TEST(ReferenceLayerNorm, GradientsAreTheDerivativesOfTheForwardPass) {
  const Op fwd = parse("layernorm_fwd/native/fp32/row/m3n5");
  const Op bwd = parse("layernorm_bwd/native/fp32/row/m3n5");
  const Tensors forward = computed(fwd, 13);
  Tensors backward = filled(bwd, 14);
  backward[1] = forward[0];
  backward[2] = forward[1];
  backward[3] = forward[4];
  backward[4] = forward[5];
  reference(bwd, backward);
  expect_near(backward[5], numeric_gradient(fwd, forward, "x", "y", backward[0]), 1e-7);
  expect_near(backward[6], numeric_gradient(fwd, forward, "gamma", "y", backward[0]), 1e-8);
  expect_near(backward[7], numeric_gradient(fwd, forward, "beta", "y", backward[0]), 1e-8);
}

}  // namespace
}  // namespace stepcast
