// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/reference/fill.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

TEST(ReferenceConv, SumsAWindowByHand) {
  const Op op = parse("conv_fprop/cudnn/fp32/nchw/n1c1h3w3k1r2s2u1p0");
  Tensors tensors = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 0, 0, -1}, {0, 0, 0, 0}};
  reference(op, tensors);
  EXPECT_EQ(tensors[2], (std::vector<double>{-4, -4, -4, -4}));  // x[i,j] - x[i+1,j+1]
}

TEST(ReferenceConv, SkipsPaddingAndStepsByTheStride) {
  const Op op = parse("conv_fprop/cudnn/fp32/nchw/n1c1h3w3k1r3s3u2p1");
  Tensors tensors = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0}};
  reference(op, tensors);
  // The four windows that begin at (-1,-1), (-1,1), (1,-1), (1,1): sums of the quarters.
  EXPECT_EQ(tensors[2], (std::vector<double>{12, 16, 24, 28}));
}

TEST(ReferenceConv, ReadsFiltersAndImagesChannelsLastInNhwc) {
  // Two channels interleaved: (1,10) (2,20); filter (3,5): 3 x0 + 5 x1.
  const Op op = parse("conv_fprop/cudnn/fp32/nhwc/n1c2h1w2k1r1s1u1p0");
  Tensors tensors = {{1, 10, 2, 20}, {3, 5}, {0, 0}};
  reference(op, tensors);
  EXPECT_EQ(tensors[2], (std::vector<double>{53, 106}));
  const Op planes = parse("conv_fprop/cudnn/fp32/nchw/n1c2h1w2k1r1s1u1p0");
  tensors = {{1, 2, 10, 20}, {3, 5}, {0, 0}};
  reference(planes, tensors);
  EXPECT_EQ(tensors[2], (std::vector<double>{53, 106}));
}

TEST(ReferenceConv, KeepsGroupsApart) {
  const Op op = parse("conv_fprop/cudnn/fp32/nhwc/n1c2h1w1k2r1s1u1p0g2");
  Tensors tensors = {{3, 5}, {10, 100}, {0, 0}};
  reference(op, tensors);
  EXPECT_EQ(tensors[2], (std::vector<double>{30, 500}));
}

class ReferenceConvGradients : public ::testing::TestWithParam<const char*> {};

// <dy, conv(x, w)> is linear in x and in w, so it equals <dgrad(dy, w), x> and <wgrad(dy, x), w>.
TEST_P(ReferenceConvGradients, AreTheAdjointsOfTheForwardPass) {
  const std::string rest = GetParam();
  const Op fprop = parse("conv_fprop" + rest);
  Tensors forward = computed(fprop, 1);
  const auto& x = forward[0];
  const auto& w = forward[1];
  const auto& y = forward[2];

  const Op dgrad = parse("conv_dgrad" + rest);
  Tensors data = filled(dgrad, 2);
  const std::vector<double> dy = data[0];
  data[1] = w;
  reference(dgrad, data);
  EXPECT_NEAR(inner(dy, y), inner(data[2], x), 1e-12);

  const Op wgrad = parse("conv_wgrad" + rest);
  Tensors weights = {dy, x, std::vector<double>(w.size())};
  reference(wgrad, weights);
  EXPECT_NEAR(inner(dy, y), inner(weights[2], w), 1e-12);
}

TEST_P(ReferenceConvGradients, AreTheDerivativesOfTheForwardPass) {
  const std::string rest = GetParam();
  const Op fprop = parse("conv_fprop" + rest);
  const Tensors forward = computed(fprop, 1);
  const Op dgrad = parse("conv_dgrad" + rest);
  Tensors data = filled(dgrad, 2);
  data[1] = forward[1];
  reference(dgrad, data);
  expect_near(data[2], numeric_gradient(fprop, forward, "x", "y", data[0]), 1e-8);
  const Op wgrad = parse("conv_wgrad" + rest);
  Tensors weights = {data[0], forward[0], std::vector<double>(forward[1].size())};
  reference(wgrad, weights);
  expect_near(weights[2], numeric_gradient(fprop, forward, "w", "y", data[0]), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReferenceConvGradients,
                         ::testing::Values("/cudnn/fp32/nchw/n2c3h5w4k2r3s3u1p1",
                                           "/cudnn/fp32/nhwc/n2c3h5w4k2r3s3u2p1",
                                           "/cudnn/fp32/nhwc/n1c4h6w5k6r3s1u2p0g2",
                                           "/cudnn/fp32/nchw/n2c4h3w3k4r1s1u2p0",
                                           "/cudnn/fp32/nchw/n1c2h7w7k2r5s5u3p4g2"));

}  // namespace
}  // namespace stepcast
