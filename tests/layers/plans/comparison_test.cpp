// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/comparison.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace stepcast {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

// The rms of the wanted values is 5: sqrt((1 + 49 + 49 + 1) / 4).
const std::vector<double> kWant{1, 7, -7, -1};
constexpr Tolerance kTolerance{0x1p-8, 4};

TEST(Comparison, EpsilonsAreHalfTheSpacingOfNumbersAboveOne) {
  EXPECT_EQ(epsilon(DType::fp16), 1.0 / 2048);
  EXPECT_EQ(epsilon(DType::bf16), 1.0 / 256);
  EXPECT_EQ(epsilon(DType::tf32), 1.0 / 2048);
  EXPECT_EQ(epsilon(DType::fp32), 1.0 / 16777216);
  EXPECT_EQ(epsilon(DType::e4m3), 0x1p-4);
  EXPECT_EQ(epsilon(DType::int64), 0);
  EXPECT_EQ(epsilon(DType::uint8), 0);
}

TEST(Comparison, ErrorsUpToTheToleranceAreAccepted) {
  // 4 / 256 (|want| + 5): 0.09375 for 1, 0.1875 for 7.
  EXPECT_EQ(difference(std::vector<double>{1.09375, 7.1875, -7.1875, -0.90625}, kWant, kTolerance),
            "");
}

TEST(Comparison, OneWrongElementIsFound) {
  EXPECT_EQ(difference(std::vector<double>{1, 7.1876, -7, -1}, kWant, kTolerance),
            "1 of 4 elements are wrong; [1] is 7.1876, wanted 7 within 0.188");
}

TEST(Comparison, NanIsFound) {
  EXPECT_EQ(difference(std::vector<double>{1, 7, kNaN, -1}, kWant, kTolerance),
            "1 of 4 elements are wrong; [2] is nan, wanted -7 within 0.188");
}

TEST(Comparison, AnUnwrittenOutputIsFound) {
  EXPECT_EQ(difference(std::vector<double>(4, kNaN), kWant, kTolerance),
            "4 of 4 elements are wrong; [0] is nan, wanted 1 within 0.0938");
}

TEST(Comparison, AWantedNanIsNeverMet) {
  EXPECT_NE(difference(std::vector<double>{kNaN}, std::vector<double>{kNaN}, kTolerance), "");
}

TEST(Comparison, ZerosInsteadOfResultsAreFound) {
  EXPECT_NE(difference(std::vector<double>(4, 0.0), kWant, kTolerance), "");
}

TEST(Comparison, WholeNumbersMustAgreeExactly) {
  const Tolerance exact{epsilon(DType::int64), 4};
  EXPECT_EQ(difference(std::vector<double>{1, 7, -7, -1}, kWant, exact), "");
  EXPECT_NE(difference(std::vector<double>{1, 7, -7, -2}, kWant, exact), "");
}

TEST(Comparison, AnotherSizeIsFound) {
  EXPECT_EQ(difference(std::vector<double>{1, 7}, kWant, kTolerance), "2 elements instead of 4");
}

}  // namespace
}  // namespace stepcast
