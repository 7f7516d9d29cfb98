// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/reference/fill.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

using Values = std::vector<double>;

// 1 2 3 / 4 9 6 / 7 8 5 with windows 3x3 at stride 2, padding 1: each corner sees the middle.
TEST(ReferenceMaxPool, FindsTheLargestAndItsPlaceInThePlane) {
  Tensors tensors = {{1, 2, 3, 4, 9, 6, 7, 8, 5}, Values(4), Values(4)};
  reference(parse("maxpool_fwd/native/fp32/nchw/n1c1h3w3r3u2p1"), tensors);
  EXPECT_EQ(tensors[1], (Values{9, 9, 9, 9}));
  EXPECT_EQ(tensors[2], (Values{4, 4, 4, 4}));
}

// The middle is at (2,2), (2,0), (0,2), (0,0) of the windows.
TEST(ReferenceMaxPool, FindsThePlaceInTheWindowForTheCudaProvider) {
  Tensors tensors = {{1, 2, 3, 4, 9, 6, 7, 8, 5}, Values(4), Values(4)};
  reference(parse("maxpool_fwd/cuda/fp32/nchw/n1c1h3w3r3u2p1"), tensors);
  EXPECT_EQ(tensors[2], (Values{8, 6, 2, 0}));
}

TEST(ReferenceMaxPool, TakesTheFirstOfEqualsAndLetsNanWin) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensors tensors = {{5, 5, 5, 5, 1, nan, nan, 9}, Values(2), Values(2)};
  reference(parse("maxpool_fwd/native/fp32/nchw/n2c1h2w2r2u2p0"), tensors);
  EXPECT_EQ(tensors[1][0], 5.0);
  EXPECT_TRUE(std::isnan(tensors[1][1]));
  EXPECT_EQ(tensors[2], (Values{0, 1}));
}

TEST(ReferenceMaxPool, KeepsNegativeMaximaBesidePadding) {
  Tensors tensors = {{-3, -4, -5, -6}, Values(4), Values(4)};
  reference(parse("maxpool_fwd/native/fp32/nchw/n1c1h2w2r3u1p1"), tensors);
  EXPECT_EQ(tensors[1], (Values{-3, -3, -3, -3}));
}

class ReferencePoolGradients : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferencePoolGradients, OfTheMaximumAreTheDerivatives) {
  const std::string rest = std::string(GetParam());
  const Op fwd = parse("maxpool_fwd" + rest);
  const Op bwd = parse("maxpool_bwd" + rest);
  Tensors backward = computed(bwd, 16);
  Tensors forward = {backward[1], Values(backward[0].size()), Values(backward[0].size())};
  reference(fwd, forward);
  EXPECT_EQ(forward[2], backward[2]);  // derive() is the forward pass
  expect_near(backward[3], numeric_gradient(fwd, forward, "x", "y", backward[0]), 1e-9);
}

TEST_P(ReferencePoolGradients, OfTheAverageAreTheDerivatives) {
  const std::string rest = std::string(GetParam());
  const Op fwd = parse("avgpool_fwd" + rest);
  const Op bwd = parse("avgpool_bwd" + rest);
  const Tensors forward = computed(fwd, 17);
  const Tensors backward = computed(bwd, 18);
  expect_near(backward[1], numeric_gradient(fwd, forward, "x", "y", backward[0]), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReferencePoolGradients,
                         ::testing::Values("/native/fp32/nchw/n2c2h5w4r3u2p1",
                                           "/native/fp32/nhwc/n2c2h5w4r3u2p1",
                                           "/cuda/fp32/nchw/n2c2h5w4r3u1p1",
                                           "/cuda/fp32/nhwc/n2c3h4w4r2u2p0"));

// Two channels interleaved in nhwc: means of (1, 3, 5, 7) and (10, 30, 50, 70).
TEST(ReferenceAvgPool, AveragesTheWholeImage) {
  Tensors tensors = {{1, 10, 3, 30, 5, 50, 7, 70}, Values(2)};
  reference(parse("avgpool_fwd/native/fp32/nhwc/n1c2h2w2r2u1p0"), tensors);
  EXPECT_EQ(tensors[1], (Values{4, 40}));
}

TEST(ReferenceAvgPool, CountsPaddingAsZeros) {
  Tensors tensors = {{9, 18, 27, 36}, Values(1)};
  reference(parse("avgpool_fwd/native/fp32/nchw/n1c1h2w2r3u2p1"), tensors);
  EXPECT_EQ(tensors[1], (Values{10}));
}

}  // namespace
}  // namespace stepcast
