// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

TEST(ReferenceSgd, MovesAgainstTheMomentum) {
  Tensors tensors = {{1, 2}, {10, -10}, {20, 0}};
  reference(parse("sgd/cuda/fp32/flat/e2t1"), tensors);
  expect_near(tensors[2], {28, -10}, 1e-15);    // 0.9 v + g
  expect_near(tensors[0], {-1.8, 3.0}, 1e-15);  // w - 0.1 v
  EXPECT_EQ(tensors[1], (std::vector<double>{10, -10}));
}

TEST(ReferenceUnscale, DividesByTheLossScale) {
  Tensors tensors = {{1024, -2048}, {0}};
  reference(parse("unscale/cuda/fp32/flat/e2t1"), tensors);
  EXPECT_EQ(tensors[0], (std::vector<double>{1, -2}));
  EXPECT_EQ(tensors[1][0], 0.0);
}

TEST(ReferenceUnscale, RaisesTheFlagForWhatIsNotFiniteAndNeverLowersIt) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    Tensors tensors = {{1, bad}, {0}};
    reference(parse("unscale/cuda/fp32/flat/e2t1"), tensors);
    EXPECT_EQ(tensors[1][0], 1.0);
  }
  Tensors tensors = {{1, 2}, {1}};
  reference(parse("unscale/cuda/fp32/flat/e2t1"), tensors);
  EXPECT_EQ(tensors[1][0], 1.0);
}

}  // namespace
}  // namespace stepcast
