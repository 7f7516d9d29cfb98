// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"

namespace stepcast {
namespace {

TEST(Statistics, MedianOfAnEvenCountLiesBetweenTheMiddleTwo) {
  EXPECT_EQ(median(std::vector<double>{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(median(std::vector<double>{5.0, 1.0, 3.0}), 3.0);
}

TEST(Statistics, QuantileInterpolatesBetweenNeighbours) {
  const std::vector<double> samples{10.0, 20.0, 30.0, 40.0};
  EXPECT_EQ(quantile(samples, 0.0), 10.0);
  EXPECT_EQ(quantile(samples, 1.0), 40.0);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);  // 0.25 * 3 = 0.75 of the way from 10 to 20
}

TEST(Statistics, OneSampleIsEveryQuantile) {
  const Summary summary = summarise(std::vector<double>{2.0});
  EXPECT_EQ(summary.min, 2.0);
  EXPECT_EQ(summary.p25, 2.0);
  EXPECT_EQ(summary.median, 2.0);
  EXPECT_EQ(summary.p95, 2.0);
  EXPECT_EQ(summary.noise, 0.0);
  EXPECT_EQ(summary.samples, 1);
}

TEST(Statistics, NoiseIsHalfTheInterquartileRangeOverTheMedian) {
  // Of 1..5: p25 = 2, median = 3, p75 = 4, p95 = 4 + 0.8.
  const Summary summary = summarise(std::vector<double>{5.0, 4.0, 3.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(summary.noise, (4.0 - 2.0) / 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(summary.p95, 4.8);
  EXPECT_EQ(summary.samples, 5);
}

TEST(Statistics, SamplesThatAreMissingOrNotFiniteAreRefused) {
  EXPECT_THROW((void)median({}), DataError);
  EXPECT_THROW((void)summarise(std::vector<double>{1.0, std::nan("")}), DataError);
  EXPECT_THROW((void)median(std::vector<double>{std::numeric_limits<double>::infinity()}),
               DataError);
  EXPECT_THROW((void)quantile(std::vector<double>{1.0}, 1.5), DataError);
  EXPECT_THROW((void)quantile(std::vector<double>{1.0}, std::nan("")), DataError);
}

}  // namespace
}  // namespace stepcast
