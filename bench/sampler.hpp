// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sampler: takes the samples of a plan by the protocol's stop rule, and searches a library's plans
// for the fastest.

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/measurement.hpp"
#include "bench/protocol.hpp"
#include "core/cuda/stopwatch.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

/// A hold ended by itself, so that the samples behind it hold the host's gaps.
class HoldTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A plan that the search has timed.
struct Candidate {
  std::int64_t rank = 0;
  double seconds = 0;  // median
};

struct Search {
  std::optional<Candidate> best;  // nothing where no candidate ran
  std::int64_t plans_timed = 0;
  bool first_runs = false;  // whether the heuristic's first plan is among them
};

class Sampler {
 public:
  /// `stopwatch` outlives this.
  Sampler(Stopwatch& stopwatch, const Protocol& protocol)
      : stopwatch_(stopwatch), protocol_(protocol) {}

  /// Samples of the work until the stop rule ends them; warmed up first.
  /// Errors: LibraryError; HoldTimeout.
  Timing cold(const Work& work, std::int64_t launches);
  /// Samples back to back; `one` is about what one execution takes.
  Timing hot(const Work& work, std::int64_t launches, Seconds one);

  /// Times the plan's candidates up to `limit` that can be built and run, each with a short cold
  /// series, and those near the best again with a longer one, of which the best is taken.
  /// Errors: LibraryError where the device is lost; HoldTimeout.
  Search search(Plan& plan, std::int64_t limit, std::int64_t launches);

 private:
  template <typename Take>
  Timing until_quiet(const Take& take);
  std::optional<Candidate> short_series(Plan& plan, std::int64_t rank, std::int64_t samples,
                                        std::int64_t launches);

  Stopwatch& stopwatch_;
  const Protocol& protocol_;
};

/// The candidates within `fraction` of the fastest, in their order.
std::vector<Candidate> near_best(std::span<const Candidate> candidates, double fraction);

/// The candidate with the least time; of equals the first. Not for an empty list.
Candidate fastest(std::span<const Candidate> candidates);

}  // namespace stepcast
