// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/timeline.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/error.hpp"

namespace stepcast {
namespace {

constexpr std::array<std::int64_t, 1> kFirst{0};
constexpr std::array<std::int64_t, 1> kSecond{1};

/// forward 10; backward 5 (parameter 0 is ready at 15) and 20 (parameter 1 at 35); copies out 1 and
/// 2; optimizer 4. Milliseconds.
std::vector<TimelineOp> ops() {
  return {{milliseconds(10), Phase::forward, {}},       {milliseconds(5), Phase::backward, kFirst},
          {milliseconds(20), Phase::backward, kSecond}, {milliseconds(1), Phase::finalize, kFirst},
          {milliseconds(2), Phase::finalize, kSecond},  {milliseconds(4), Phase::optimizer, {}}};
}

std::vector<TimelineBucket> buckets(double first_ms, double second_ms) {
  return {{{0}, milliseconds(first_ms)}, {{1}, milliseconds(second_ms)}};
}

double ms(Seconds time) { return time.count() * 1e3; }

TEST(Timeline, WithoutBucketsThePartsAddUpToTheStep) {
  const Timeline timeline = compose_timeline(ops(), {});
  EXPECT_DOUBLE_EQ(ms(timeline.forward), 10);
  EXPECT_DOUBLE_EQ(ms(timeline.backward), 25);
  EXPECT_DOUBLE_EQ(ms(timeline.finalize), 3);
  EXPECT_DOUBLE_EQ(ms(timeline.optimizer), 4);
  EXPECT_EQ(timeline.exposed, Seconds(0));
  EXPECT_DOUBLE_EQ(ms(timeline.step), 42);
}

TEST(Timeline, AnAllreduceOfNoTimeExposesNothing) {
  const Timeline timeline = compose_timeline(ops(), buckets(0, 0));
  EXPECT_EQ(timeline.exposed, Seconds(0));
  EXPECT_DOUBLE_EQ(ms(timeline.step), 42);
}

TEST(Timeline, OfTwoBucketsOnlyTheTailBehindTheBackwardPassIsExposed) {
  // First: 15 to 18, hidden. Second: 35 to 42; copy-out 1 runs from 35 to 36, so 6 are exposed.
  const Timeline timeline = compose_timeline(ops(), buckets(3, 7));
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[0].ready), 15);
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[0].start), 15);
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[0].end), 18);
  EXPECT_EQ(timeline.buckets[0].exposed, Seconds(0));
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[1].start), 35);
  EXPECT_NEAR(ms(timeline.buckets[1].exposed), 6, 1e-12);
  EXPECT_NEAR(ms(timeline.exposed), 6, 1e-12);
  EXPECT_NEAR(ms(timeline.step), 48, 1e-12);  // 42 to end the second, 2 copies, 4 optimizer
}

TEST(Timeline, ABucketThatIsReadyWaitsForTheOneBefore) {
  // First: 15 to 45. Second: ready at 35, starts at 45, ends at 52. Exposed: 45 - 35, then copy-out
  // until 46, then 52 - 46.
  const Timeline timeline = compose_timeline(ops(), buckets(30, 7));
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[1].ready), 35);
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[1].start), 45);
  EXPECT_NEAR(ms(timeline.buckets[0].exposed), 10, 1e-12);
  EXPECT_NEAR(ms(timeline.buckets[1].exposed), 6, 1e-12);
  EXPECT_NEAR(ms(timeline.step), 52 + 2 + 4, 1e-12);
}

TEST(Timeline, ALateBucketHoldsUpTheNextThatWasReadyEarlier) {
  // The first bucket holds the parameter that is ready last: both allreduces come after 35.
  const std::vector<TimelineBucket> swapped{{{1}, milliseconds(3)}, {{0}, milliseconds(2)}};
  const Timeline timeline = compose_timeline(ops(), swapped);
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[1].ready), 15);
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[1].start), 38);
  // 35 to 38 exposed, copies of 2 until 40, when the second has just ended: nothing more exposed.
  EXPECT_NEAR(ms(timeline.exposed), 3, 1e-12);
  EXPECT_NEAR(ms(timeline.step), 38 + 2 + 1 + 4, 1e-12);
}

TEST(Timeline, ABucketOfTwoParametersIsReadyWithTheLater) {
  const std::vector<TimelineBucket> one{{{0, 1}, milliseconds(5)}};
  const Timeline timeline = compose_timeline(ops(), one);
  EXPECT_DOUBLE_EQ(ms(timeline.buckets[0].ready), 35);
  EXPECT_NEAR(ms(timeline.exposed), 5, 1e-12);
}

TEST(Timeline, PartsAddUpToTheStepWhateverIsExposed) {
  for (const double first : {0.0, 1.0, 19.0, 50.0}) {
    for (const double second : {0.0, 0.5, 3.0, 80.0}) {
      const Timeline t = compose_timeline(ops(), buckets(first, second));
      const Seconds parts = t.forward + t.backward + t.exposed + t.finalize + t.optimizer;
      EXPECT_NEAR(parts.count(), t.step.count(), 1e-15) << first << " " << second;
    }
  }
}

TEST(Timeline, ABucketOfAParameterThatIsNeverReadyIsRefused) {
  const std::vector<TimelineBucket> unknown{{{7}, milliseconds(1)}};
  EXPECT_THROW(compose_timeline(ops(), unknown), DataError);
}

TEST(Timeline, OpsOutOfOrderAreRefused) {
  const std::vector<TimelineOp> swapped{{milliseconds(1), Phase::backward, {}},
                                        {milliseconds(1), Phase::forward, {}}};
  EXPECT_THROW(compose_timeline(swapped, {}), DataError);
}

}  // namespace
}  // namespace stepcast
