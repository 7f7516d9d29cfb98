// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/protocol.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

Summary summary(std::int64_t samples, double noise) {
  Summary result;
  result.samples = samples;
  result.noise = noise;
  return result;
}

TEST(Protocol, SamplingGoesOnBelowTheLeastNumberOfSamples) {
  const Protocol protocol;  // at least 10, until 0.5 % or 60 ms
  EXPECT_EQ(stop(protocol, summary(9, 0.0), Seconds(1)), Stop::not_yet);
  EXPECT_EQ(stop(protocol, summary(10, 0.006), Seconds(0.059)), Stop::not_yet);
}

TEST(Protocol, SamplingEndsWhenQuietLateOrLong) {
  const Protocol protocol;
  EXPECT_EQ(stop(protocol, summary(10, 0.005), Seconds(0.001)), Stop::quiet);
  EXPECT_EQ(stop(protocol, summary(10, 0.006), Seconds(0.060)), Stop::time);
  EXPECT_EQ(stop(protocol, summary(1000, 0.5), Seconds(0.001)), Stop::samples);
}

TEST(Protocol, LeastTimeKeepsAQuietCaseSampling) {
  Protocol protocol;
  protocol.min_time = Seconds(0.02);
  EXPECT_EQ(stop(protocol, summary(10, 0.0), Seconds(0.019)), Stop::not_yet);
  EXPECT_EQ(stop(protocol, summary(20, 0.0), Seconds(0.020)), Stop::quiet);
}

TEST(Protocol, ShortLookTakesFewerSamplesByTheSameMethod) {
  const Protocol full = make_protocol(false);
  const Protocol quick = make_protocol(true);
  EXPECT_LT(quick.max_time, full.max_time);
  EXPECT_LT(quick.min_samples, full.min_samples);
  EXPECT_GT(quick.quiet, full.quiet);
  EXPECT_EQ(quick.method_version, full.method_version);
}

TEST(Protocol, RecordHoldsTheKnobs) {
  Protocol protocol;
  protocol.seed = 7;
  const nlohmann::json values = record(protocol, mib(120));
  EXPECT_EQ(values.at("flush_bytes"), 125829120);
  EXPECT_EQ(values.at("seed"), 7);
  EXPECT_EQ(values.at("min_samples"), 10);
  EXPECT_EQ(values.at("max_time_s"), 0.06);
  EXPECT_EQ(values.at("quiet"), 0.005);
  EXPECT_EQ(values.at("hold_timeout_s"), 2.0);
  EXPECT_EQ(values.at("search_samples"), 3);
  EXPECT_EQ(values.at("hold"), true);
}

}  // namespace
}  // namespace stepcast
