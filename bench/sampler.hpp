// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sampler: takes the samples of a subject by the protocol's stop rule, drops those of a throttled
// GPU, and searches a library's plans for the fastest.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/measurement.hpp"
#include "bench/protocol.hpp"
#include "bench/subject.hpp"

namespace stepcast {

/// A hold ended by itself, so that the samples behind it hold the host's gaps.
class HoldTimeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The GPU's clock stayed too low, however long the sampler waited.
class Throttled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

class Sampler {
 public:
  /// `clock` outlives this. `highest_clock_mhz`: the GPU's, or 0 where it is not known: then no
  /// series counts as throttled.
  Sampler(HostClock& clock, const Protocol& protocol, double highest_clock_mhz)
      : clock_(clock), protocol_(protocol), highest_clock_mhz_(highest_clock_mhz) {}

  /// Samples of the selected candidate until the stop rule ends them, or the protocol's
  /// fixed_samples; warmed up first.
  /// Errors: LibraryError; HoldTimeout; Throttled.
  Timing cold(Subject& subject);
  /// Samples back to back; `one` is about what one execution takes.
  Timing hot(Subject& subject, Seconds one);

  /// Times the candidates that can be built and run, each with a short cold series, and those near
  /// the best again with a longer one. Of those that tie, the heuristic's first is taken, so that a
  /// second search finds the same. At most the protocol's search_most; ends early by its
  /// search_time. Errors: LibraryError where the device is lost; HoldTimeout; Throttled.
  Search search(Subject& subject);

 private:
  using Take = std::function<Series(std::int64_t)>;

  /// Waits if the last series ran at a clock that shows the power limit.
  void rest();
  Timing until_quiet(const Take& take, std::int64_t exactly);
  Series unthrottled(const Take& take, std::int64_t samples, std::int64_t& retries);
  /// A first look at a candidate. One that an estimate shows to be far slower than the best so far
  /// (0 for none) is not sampled. Nothing if it does not build or run.
  std::optional<Candidate> try_out(Subject& subject, std::int64_t rank, double best);
  /// A longer look, in groups for executions that take `one`.
  std::optional<Candidate> refine(Subject& subject, std::int64_t rank, Seconds one);
  /// What `time` gives for a candidate; nothing if it does not build or run.
  static std::optional<Candidate> if_it_runs(Subject& subject, std::int64_t rank,
                                             const std::function<double()>& time);
  double median_of(Subject& subject, std::int64_t samples, Seconds one, Seconds group_time);

  HostClock& clock_;
  const Protocol& protocol_;
  double highest_clock_mhz_;
  double last_clock_mhz_ = 0;
};

/// The candidates within `fraction` of the fastest, in their order.
std::vector<Candidate> near_best(std::span<const Candidate> candidates, double fraction);

/// The candidates by their time, but those within `tie` of the fastest first, by rank.
std::vector<Candidate> preferred(std::vector<Candidate> candidates, double tie);

}  // namespace stepcast
