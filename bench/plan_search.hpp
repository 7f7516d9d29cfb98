// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of the plans that a library offers for an op is the fastest.

#include <cstdint>
#include <span>
#include <vector>

#include "bench/sampler.hpp"
#include "bench/subject.hpp"

namespace stepcast {

/// A plan that the search has timed.
struct Candidate {
  std::int64_t rank = 0;
  double seconds = 0;  // median
};

struct Search {
  std::vector<Candidate> best;  // near the best, the one to take first; empty where none ran
  std::int64_t plans_timed = 0;
  bool first_runs = false;  // whether the heuristic's first plan is among them
};

/// Times the candidates that can be built and run, each with a short cold series, and those near
/// the best again with a longer one. Of those that tie, the heuristic's first is taken, so that a
/// second search finds the same. At most the protocol's search_most; ends early by its search_time.
/// Errors: LibraryError where the device is lost; HoldTimeout; Throttled.
Search search_plans(Subject& subject, Sampler& sampler);

/// The candidates within `fraction` of the fastest, in their order.
std::vector<Candidate> near_best(std::span<const Candidate> candidates, double fraction);

/// The candidates by their time, but those within `tie` of the fastest first, by rank.
std::vector<Candidate> preferred(std::vector<Candidate> candidates, double tie);

}  // namespace stepcast
