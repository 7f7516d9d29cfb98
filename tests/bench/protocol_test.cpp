// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/protocol.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

Summary summary(std::int64_t samples, double noise, double median_error) {
  Summary result;
  result.samples = samples;
  result.noise = noise;
  result.median_error = median_error;
  return result;
}

TEST(Protocol, SamplingGoesOnBelowTheLeastNumberOfSamples) {
  const Protocol protocol;  // at least 8, until the median is known to 0.2 %, or 50 ms
  EXPECT_EQ(stop(protocol, summary(7, 0, 0), 0, Seconds(1)), Stop::not_yet);
  EXPECT_EQ(stop(protocol, summary(10, 0.03, 0.01), 0.01, Seconds(0.049)), Stop::not_yet);
}

TEST(Protocol, SamplingEndsWhenQuietSettledLateOrLong) {
  const Protocol protocol;
  EXPECT_EQ(stop(protocol, summary(10, 0.1, 0.002), 0, Seconds(0.001)), Stop::quiet);
  EXPECT_EQ(stop(protocol, summary(100, 0.03, 0.004), 0.0301, Seconds(0.001)), Stop::settled);
  EXPECT_EQ(stop(protocol, summary(10, 0.03, 0.01), 0.01, Seconds(0.050)), Stop::time);
  EXPECT_EQ(stop(protocol, summary(2000, 0.5, 0.3), 0.1, Seconds(0.001)), Stop::samples);
}

TEST(Protocol, SettledNoiseIsNotEnoughWhereTheMedianIsNotKnown) {
  const Protocol protocol;
  EXPECT_EQ(stop(protocol, summary(100, 0.3, 0.05), 0.3, Seconds(0.001)), Stop::not_yet);
}

TEST(Protocol, NextSeriesIsAsLongAsTheNoiseAsksFor) {
  const Protocol protocol;
  EXPECT_EQ(next_samples(protocol, {}), protocol.samples_a_series);
  // Twice the error that is wanted needs four times the samples: 3 n more.
  EXPECT_EQ(next_samples(protocol, summary(10, 0.02, 2 * protocol.quiet)), 30);
  EXPECT_EQ(next_samples(protocol, summary(20, 0.9, 0.5)), protocol.most_a_series);
  EXPECT_EQ(next_samples(protocol, summary(20, 0, protocol.quiet)), protocol.samples_a_series);
}

TEST(Protocol, ShortLookSearchesLessByTheSameMethod) {
  const Protocol full = make_protocol(false);
  const Protocol quick = make_protocol(true);
  EXPECT_LT(quick.max_time, full.max_time);
  EXPECT_LT(quick.search_time, full.search_time);
  EXPECT_GT(quick.quiet, full.quiet);
  EXPECT_EQ(quick.method_version, full.method_version);
  EXPECT_NE(quick.name, full.name);
}

TEST(Protocol, RecordHoldsTheKnobs) {
  Protocol protocol;
  protocol.seed = 7;
  const nlohmann::json values = record(protocol, mib(120));
  EXPECT_EQ(values.at("flush_bytes"), 125829120);
  EXPECT_EQ(values.at("seed"), 7);
  EXPECT_EQ(values.at("min_samples"), 8);
  EXPECT_EQ(values.at("max_time_s"), 0.05);
  EXPECT_EQ(values.at("quiet"), 0.002);
  EXPECT_EQ(values.at("name"), "full");
  EXPECT_EQ(values.at("hold_timeout_s"), 2.0);
  EXPECT_EQ(values.at("search_samples"), 4);
  EXPECT_EQ(values.at("hold"), true);
}

TEST(Protocol, SeriesAreEvenSoThatBothPlacesHaveAsManySamples) {
  const Protocol protocol;
  EXPECT_EQ(even(7), 8);
  EXPECT_EQ(even(8), 8);
  Summary summary;
  summary.samples = 8;
  for (double error = 0.0021; error < 0.02; error *= 1.1) {
    summary.median_error = error;
    EXPECT_EQ(next_samples(protocol, summary) % 2, 0) << error;
  }
}

}  // namespace
}  // namespace stepcast
