// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/plan_search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/bench/fake_subject.hpp"

namespace stepcast {
namespace {

using testing::FakeClock;
using testing::FakePlan;
using testing::FakeSubject;

class PlanSearchTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  Protocol protocol_;
  Sampler sampler_{clock_, protocol_, 2000};
};

TEST_F(PlanSearchTest, FinalistsAreComparedInGroupsOfOneSize) {
  FakeSubject subject(clock_, {{1.02e-5}, {1e-5}, {1.4e-5}});
  search_plans(subject, sampler_);
  ASSERT_EQ(subject.cold_groups.size(), 5U);  // three that are tried, two that are near the best
  EXPECT_EQ(subject.cold_groups[2].first, Seconds(1.4e-5));
  EXPECT_EQ(subject.cold_groups[2].second, protocol_.search_group_time);
  for (const std::size_t finalist : {3U, 4U}) {
    EXPECT_NEAR(subject.cold_groups[finalist].first.count(), 1e-5, 1e-12);
    EXPECT_EQ(subject.cold_groups[finalist].second, protocol_.group_time);
  }
}

TEST_F(PlanSearchTest, CandidateFarFromTheBestIsNotSampled) {
  FakeSubject subject(clock_, {{1e-5}, {2e-5}, {1.02e-5}});
  const Search search = search_plans(subject, sampler_);
  EXPECT_EQ(search.plans_timed, 3);
  EXPECT_EQ(subject.samples_taken, 2 * protocol_.search_samples + 2 * protocol_.refine_samples);
}

TEST_F(PlanSearchTest, LongExecutionsAreSearchedWithFewSamples) {
  FakeSubject subject(clock_, {{4e-3}, {4.04e-3}, {5e-3}});
  const Search search = search_plans(subject, sampler_);
  ASSERT_EQ(search.best.size(), 2U);
  EXPECT_EQ(search.best[0].rank, 0);
  EXPECT_EQ(subject.samples_taken, 2 * protocol_.refine_least);
}

TEST_F(PlanSearchTest, SearchPassesOverWhatDoesNotBuildOrRun) {
  FakeSubject subject(clock_, {{5e-5}, {1e-5, 0, 0, false}, {1e-5, 0, 0, true, false}, {2e-5}});
  const Search search = search_plans(subject, sampler_);
  ASSERT_EQ(search.best.size(), 1U);
  EXPECT_EQ(search.best[0].rank, 3);
  EXPECT_EQ(search.plans_timed, 2);
  EXPECT_TRUE(search.first_runs);
  EXPECT_EQ(subject.recovered, 1);
}

TEST_F(PlanSearchTest, SearchEndsByItsTimeButNotBeforeItsLeast) {
  FakeSubject subject(clock_, std::vector<FakePlan>(50, FakePlan{1e-5}));
  subject.flush = milliseconds(500);
  EXPECT_EQ(search_plans(subject, sampler_).plans_timed, protocol_.search_least);
}

TEST_F(PlanSearchTest, SearchTriesTheSameNumberHoweverLongEachTakes) {
  for (const Seconds flush : {microseconds(5), milliseconds(5)}) {
    FakeSubject subject(clock_, std::vector<FakePlan>(50, FakePlan{1e-5}));
    subject.flush = flush;
    EXPECT_EQ(search_plans(subject, sampler_).plans_timed, protocol_.search_most);
  }
}

TEST_F(PlanSearchTest, SearchWithNothingThatRunsIsEmpty) {
  FakeSubject subject(clock_, {{1e-5, 0, 0, false}, {1e-5, 0, 0, true, false}});
  const Search search = search_plans(subject, sampler_);
  EXPECT_TRUE(search.best.empty());
  EXPECT_EQ(search.plans_timed, 0);
}

constexpr std::array kTimed{Candidate{0, 1.04}, Candidate{1, 1.00}, Candidate{2, 1.02},
                            Candidate{5, 1.00}};

std::vector<std::int64_t> ranks(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> result;
  result.reserve(candidates.size());
  for (const Candidate& candidate : candidates) result.push_back(candidate.rank);
  return result;
}

TEST(PlanChoice, CandidatesWithinAFractionAreNearTheBest) {
  EXPECT_EQ(ranks(near_best(kTimed, 0.03)), (std::vector<std::int64_t>{1, 2, 5}));
  EXPECT_EQ(ranks(near_best(kTimed, 0.05)), (std::vector<std::int64_t>{0, 1, 2, 5}));
  EXPECT_TRUE(near_best({}, 0.03).empty());
}

TEST(PlanChoice, OfThoseThatTieTheHeuristicsFirstIsPreferred) {
  const std::vector<Candidate> timed{{7, 1.000}, {3, 1.003}, {1, 1.02}, {5, 1.001}};
  EXPECT_EQ(ranks(preferred(timed, 0.004)), (std::vector<std::int64_t>{3, 5, 7, 1}));
  EXPECT_EQ(ranks(preferred(timed, 0)), (std::vector<std::int64_t>{7, 5, 3, 1}));
  EXPECT_TRUE(preferred({}, 0.004).empty());
}

}  // namespace
}  // namespace stepcast
