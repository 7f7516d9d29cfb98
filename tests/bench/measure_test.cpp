// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/bench/fake_subject.hpp"

namespace stepcast {
namespace {

using testing::FakeClock;
using testing::FakePlan;
using testing::FakeSubject;

class MeasureTest : public ::testing::Test {
 protected:
  Measurement measure(const std::vector<FakePlan>& plans, const Measurement* known = nullptr) {
    FakeSubject subject(clock_, plans);
    subject.steady_mhz = mhz_;
    return stepcast::measure(subject, sampler_, protocol_, known);
  }

  FakeClock clock_;
  Protocol protocol_;
  Sampler sampler_{clock_, protocol_, 2000};
  double mhz_ = 1900;
};

TEST_F(MeasureTest, FastestPlanAndTheHeuristicsFirstAreTimed) {
  const Measurement result = measure({{3e-5}, {2e-5}, {1e-5}});
  ASSERT_EQ(result.status, RowStatus::ok) << result.reason;
  EXPECT_EQ(result.best.rank, 2);
  EXPECT_NEAR(result.best.cold.summary.median, 1e-5, 1e-9);
  ASSERT_TRUE(result.best.hot);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->rank, 0);
  EXPECT_NEAR(result.first->cold.summary.median, 3e-5, 1e-9);
  EXPECT_EQ(result.plans_timed, 3);
  EXPECT_EQ(result.best.verdict.checked, 100);
}

TEST_F(MeasureTest, FirstPlanThatIsTheBestIsOneTiming) {
  const Measurement result = measure({{1e-5}, {2e-5}});
  EXPECT_EQ(result.best.rank, 0);
  EXPECT_FALSE(result.first);
}

TEST_F(MeasureTest, PlanThatIsSlowerUnderLoadGivesWayToItsRival) {
  FakePlan hungry{1.00e-5};
  hungry.loaded = 0.05;
  const Measurement result = measure({hungry, {1.02e-5}, {3e-5}});
  EXPECT_EQ(result.best.rank, 1);
  EXPECT_NEAR(result.best.cold.summary.median, 1.02e-5, 1e-9);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->rank, 0);
  EXPECT_NEAR(result.first->cold.summary.median, 1.05e-5, 1e-9);
  ASSERT_TRUE(result.best.hot);
  EXPECT_NEAR(result.best.hot->summary.median, 0.8 * 1.02e-5, 1e-9);
}

TEST_F(MeasureTest, PlanThatIsSlowerUnderLoadStaysWhereItsRivalIsSlowerStill) {
  FakePlan hungry{1.00e-5};
  FakePlan hungrier{1.01e-5};
  hungry.loaded = 0.05;
  hungrier.loaded = 0.10;
  const Measurement result = measure({{3e-5}, hungry, hungrier});
  EXPECT_EQ(result.best.rank, 1);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->rank, 0);
}

TEST_F(MeasureTest, FirstPlanThatIsFastAndWrongIsRejectedOnce) {
  FakePlan wrong{1.00e-5};
  wrong.verdict = {100, 3, std::numeric_limits<double>::infinity(), "y[7] is nan, wanted 1.5"};
  const Measurement result = measure({wrong, {1.01e-5}});
  ASSERT_EQ(result.status, RowStatus::ok);
  EXPECT_EQ(result.best.rank, 1);
  EXPECT_EQ(result.rejected.size(), 1U);
  EXPECT_FALSE(result.first);
}

TEST_F(MeasureTest, FirstPlanThatFailsInItsFullSeriesIsNoFaultOfTheBest) {
  FakePlan first{3e-5};
  first.runs_in_full = false;
  const Measurement result = measure({first, {1e-5}});
  ASSERT_EQ(result.status, RowStatus::ok) << result.reason;
  EXPECT_EQ(result.best.rank, 1);
  ASSERT_TRUE(result.best.hot);
  ASSERT_EQ(result.rejected.size(), 1U);
  EXPECT_EQ(result.rejected[0].rank, 0);
  EXPECT_EQ(rows(result, Op{}, "r1").size(), 3U);
}

TEST_F(MeasureTest, WrongPlanIsNoRival) {
  FakePlan wrong{1.00e-5};
  wrong.verdict = {100, 3, std::numeric_limits<double>::infinity(), "y[7] is nan, wanted 1.5"};
  FakePlan hungry{1.01e-5};
  hungry.loaded = 0.05;
  const Measurement result = measure({hungry, wrong});
  EXPECT_EQ(result.best.rank, 0);
  EXPECT_EQ(result.rejected.size(), 1U);
}

TEST_F(MeasureTest, FastPlanWithAWrongResultIsRejectedAndTheNextOneTaken) {
  FakePlan wrong{1.00e-5};
  wrong.verdict = {100, 3, std::numeric_limits<double>::infinity(), "y[7] is nan, wanted 1.5"};
  const Measurement result = measure({{1.02e-5}, wrong});
  ASSERT_EQ(result.status, RowStatus::ok);
  EXPECT_EQ(result.best.rank, 0);
  ASSERT_EQ(result.rejected.size(), 1U);
  EXPECT_EQ(result.rejected[0].rank, 1);
  EXPECT_EQ(result.rejected[0].reason, "wrong result: 3 of 100 elements; y[7] is nan, wanted 1.5");
  const auto written = rows(result, Op{}, "r1");
  ASSERT_EQ(written.size(), 3U);
  EXPECT_EQ(written[0].status, RowStatus::failed);
  EXPECT_EQ(written[0].plan, "plan1");
  EXPECT_EQ(written[1].status, RowStatus::ok);
}

TEST_F(MeasureTest, OpWhoseOnlyPlanIsWrongFails) {
  FakePlan wrong;
  wrong.verdict = {100, 1, 7, "y[99] is 0, wanted 1"};
  const Measurement result = measure({wrong});
  EXPECT_EQ(result.status, RowStatus::failed);
  EXPECT_NE(result.reason.find("y[99] is 0"), std::string::npos);
}

TEST_F(MeasureTest, DataThatHidesErrorsFails) {
  FakePlan zeros;
  zeros.verdict = {100, 0, 0, "operand x: data is constant"};
  EXPECT_NE(measure({zeros}).reason.find("data is constant"), std::string::npos);
}

TEST_F(MeasureTest, NothingThatRunsIsAFailureThatSaysHowManyWereTried) {
  const Measurement result = measure({{1e-5, 0, 0, false}, {1e-5, 0, 0, true, false}});
  EXPECT_EQ(result.status, RowStatus::failed);
  EXPECT_EQ(result.reason, "none of the 2 plans that the library offers ran");
}

TEST_F(MeasureTest, ErrorOfTheLibraryIsAFailedRow) {
  const Measurement result = measure({{1e-5, 0, 0, true, false}});
  EXPECT_EQ(result.status, RowStatus::failed);
  EXPECT_NE(result.reason.find("it does not"), std::string::npos);
}

TEST_F(MeasureTest, PlanThatTakesTheDeviceWithItIsNamed) {
  FakePlan lethal{1e-5, 0, 0, true, false};
  lethal.lethal = true;
  const Measurement result = measure({{3e-5}, lethal, {2e-5}});
  EXPECT_TRUE(result.device_lost);
  EXPECT_EQ(result.status, RowStatus::failed);
  ASSERT_EQ(result.rejected.size(), 1U);
  EXPECT_EQ(result.rejected[0].rank, 1);
  EXPECT_TRUE(result.rejected[0].reason.starts_with(kDeviceLost)) << result.rejected[0].reason;
}

TEST_F(MeasureTest, LowClockIsAThrottledRowWithoutNumbers) {
  mhz_ = 800;
  const Measurement result = measure({{1e-5}});
  EXPECT_EQ(result.status, RowStatus::throttled);
  const auto written = rows(result, Op{}, "r1");
  ASSERT_EQ(written.size(), 1U);
  const auto text = cells(written[0]);
  EXPECT_EQ(text[4], "throttled");
  EXPECT_EQ(text[6], "");  // median_s
}

TEST_F(MeasureTest, SecondTimeTakesTheKnownPlanWithoutASearch) {
  const Measurement first = measure({{3e-5}, {2e-5}});
  FakeSubject subject(clock_, {{3e-5}, {2e-5}});
  const Measurement second = stepcast::measure(subject, sampler_, protocol_, &first);
  EXPECT_EQ(second.best.rank, 1);
  EXPECT_EQ(second.plans_timed, 2);
  EXPECT_TRUE(second.first);
  EXPECT_EQ(subject.verified, 1);  // the heuristic's first; the known plan's results are known
  EXPECT_EQ(second.best.verdict.checked, first.best.verdict.checked);
}

TEST_F(MeasureTest, VerificationCanBeLeftOut) {
  protocol_.verify = false;
  FakeSubject subject(clock_, {{1e-5}});
  const Measurement result = stepcast::measure(subject, sampler_, protocol_, nullptr);
  EXPECT_EQ(subject.verified, 0);
  EXPECT_EQ(result.best.verdict.checked, 0);
}

}  // namespace
}  // namespace stepcast
