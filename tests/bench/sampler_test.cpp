// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sampler.hpp"

#include <gtest/gtest.h>

#include <array>

namespace stepcast {
namespace {

constexpr std::array kTimed{Candidate{0, 1.04}, Candidate{1, 1.00}, Candidate{2, 1.02},
                            Candidate{5, 1.00}};

std::vector<std::int64_t> ranks(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> result;
  for (const Candidate& candidate : candidates) result.push_back(candidate.rank);
  return result;
}

TEST(PlanSearch, CandidatesWithinThreePercentAreNearTheBest) {
  EXPECT_EQ(ranks(near_best(kTimed, 0.03)), (std::vector<std::int64_t>{1, 2, 5}));
  EXPECT_EQ(ranks(near_best(kTimed, 0.05)), (std::vector<std::int64_t>{0, 1, 2, 5}));
  EXPECT_TRUE(near_best({}, 0.03).empty());
}

TEST(PlanSearch, EarlierCandidateWinsATie) { EXPECT_EQ(fastest(kTimed).rank, 1); }

}  // namespace
}  // namespace stepcast
