// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sampler.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/bench/fake_subject.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;
using testing::FakeClock;
using testing::FakePlan;
using testing::FakeSubject;

constexpr double kHighestMhz = 2000;

class SamplerTest : public ::testing::Test {
 protected:
  FakeSubject subject(const FakePlan& plan) { return {clock_, {plan}}; }

  FakeClock clock_;
  Protocol protocol_;
  Sampler sampler_{clock_, protocol_, kHighestMhz};
};

TEST_F(SamplerTest, QuietSeriesEndsAtTheLeastNumberOfSamples) {
  auto subject = this->subject({1e-5, 0.001});
  const Timing timing = sampler_.cold(subject);
  EXPECT_EQ(timing.stop, Stop::quiet);
  EXPECT_EQ(timing.summary.samples, protocol_.min_samples);
  EXPECT_NEAR(timing.summary.median, 1e-5, 1e-8);
  EXPECT_EQ(subject.warm_ups, protocol_.warm_ups);
  EXPECT_FALSE(timing.unstable);
  EXPECT_EQ(timing.sm_clock_mhz, 1900);
}

TEST_F(SamplerTest, NoisySeriesGoesOnUntilItsMedianIsKnown) {
  auto subject = this->subject({1e-5, 0.05});
  const Timing timing = sampler_.cold(subject);
  EXPECT_TRUE(timing.stop == Stop::quiet || timing.stop == Stop::settled);
  EXPECT_GT(timing.summary.samples, 100);
  EXPECT_LE(timing.summary.median_error, 2 * protocol_.quiet);
}

TEST_F(SamplerTest, TimeEndsWhatDoesNotBecomeQuiet) {
  auto subject = this->subject({1e-5, 0.5});
  subject.flush = milliseconds(1);
  protocol_.settled = 0;
  const Seconds start = clock_.now();
  const Timing timing = sampler_.cold(subject);
  EXPECT_EQ(timing.stop, Stop::time);
  EXPECT_GE((clock_.now() - start), protocol_.max_time);
  // No more than the last series beyond it.
  EXPECT_LT(
      (clock_.now() - start).count(),
      protocol_.max_time.count() + 1e-3 * static_cast<double>(protocol_.most_a_series) + 1e-9);
  EXPECT_TRUE(timing.unstable);  // the median of such noise is not known to 1 %
}

TEST_F(SamplerTest, NumberOfSamplesEndsWhatTimeDoesNot) {
  auto subject = this->subject({1e-5, 0.9});
  subject.flush = Seconds(0);
  protocol_.settled = 0;
  protocol_.max_samples = 300;
  EXPECT_EQ(sampler_.cold(subject).stop, Stop::samples);
}

TEST_F(SamplerTest, FixedNumberOfSamplesIsKept) {
  auto subject = this->subject({1e-5, 0.001});
  protocol_.fixed_samples = 137;
  EXPECT_EQ(sampler_.cold(subject).summary.samples, 137);
}

TEST_F(SamplerTest, DriftMakesARowUnstable) {
  auto subject = this->subject({1e-5, 0.0005, 0.004});
  protocol_.fixed_samples = 30;
  const Timing timing = sampler_.cold(subject);
  EXPECT_NEAR(timing.drift, 20 * 0.004 / 1.02, 0.005);
  EXPECT_TRUE(timing.unstable);
}

TEST_F(SamplerTest, DifferenceBetweenPlacesMakesARowUnstable) {
  FakePlan plan{1e-5, 0.0005};
  for (const double part : {0.01, 0.05}) {
    plan.place = part;
    auto subject = this->subject(plan);
    const Timing timing = sampler_.cold(subject);
    EXPECT_NEAR(timing.place_difference, part, 0.001);
    EXPECT_EQ(timing.unstable, part > protocol_.unstable_drift);
    EXPECT_NEAR(timing.summary.median, 1e-5 * (1 + part / 2), 1e-5 * part / 2 * 0.1);
  }
}

TEST_F(SamplerTest, ThrottledSeriesIsDroppedAndTakenAgainAfterAWait) {
  auto subject = this->subject({1e-5, 0.001});
  subject.clocks_mhz = {900, 900};
  const Timing timing = sampler_.cold(subject);
  EXPECT_EQ(timing.summary.samples, protocol_.min_samples);
  EXPECT_EQ(subject.samples_taken, 3 * protocol_.min_samples);
  EXPECT_EQ(clock_.slept, protocol_.throttle_wait * 2.0);
  EXPECT_EQ(timing.sm_clock_mhz, 1900);
}

TEST_F(SamplerTest, LastingThrottlingIsAnErrorThatNamesTheClock) {
  auto subject = this->subject({1e-5, 0.001});
  subject.steady_mhz = 900;
  const std::string error = error_of<Throttled>([&] { sampler_.cold(subject); });
  EXPECT_NE(error.find("SM clock 900 MHz, below"), std::string::npos) << error;
  EXPECT_NE(error.find("2000 MHz"), std::string::npos) << error;
  EXPECT_EQ(clock_.slept,
            protocol_.throttle_wait * static_cast<double>(protocol_.throttle_retries));
}

TEST_F(SamplerTest, CaseAfterOneAtThePowerLimitWaits) {
  auto subject = this->subject({1e-5, 0.001});
  subject.clocks_mhz = {1500};  // above the least, below that of a rested GPU
  sampler_.cold(subject);
  EXPECT_EQ(clock_.slept, Seconds(0));
  sampler_.cold(subject);
  EXPECT_EQ(clock_.slept, protocol_.rest);
  sampler_.cold(subject);
  EXPECT_EQ(clock_.slept, protocol_.rest);  // the second ran at 1900 MHz
}

TEST_F(SamplerTest, UnknownClockIsNotThrottled) {
  auto subject = this->subject({1e-5, 0.001});
  subject.steady_mhz = 0;
  EXPECT_EQ(sampler_.cold(subject).sm_clock_mhz, 0);
}

TEST_F(SamplerTest, HoldThatRanOutIsAnError) {
  auto subject = this->subject({1e-5, 0.001});
  subject.hold_times_out = true;
  EXPECT_NE(error_of<HoldTimeout>([&] { sampler_.cold(subject); }).find("--no-hold"),
            std::string::npos);
}

TEST_F(SamplerTest, HotGroupsHoldAsManyExecutionsAsFillTheirTime) {
  auto subject = this->subject({7e-6, 0});
  const Timing timing = sampler_.hot(subject, microseconds(7));
  EXPECT_EQ(subject.executions_of_group, 64);  // the last power of two within 0.7 ms
  EXPECT_EQ(timing.summary.samples, protocol_.hot_groups);
  EXPECT_NEAR(timing.summary.median, 5.6e-6, 1e-12);
}

}  // namespace
}  // namespace stepcast
