// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sampler: takes the samples of a subject by the protocol's stop rule, and drops those of a
// throttled GPU.

#include <cstdint>
#include <functional>
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

  /// The median of so many cold samples of the selected candidate, in groups for executions that
  /// take `one`. Errors: LibraryError; HoldTimeout; Throttled.
  double median_of(Subject& subject, std::int64_t samples, Seconds one, Seconds group_time);

  /// Waits if the last series ran at a clock that shows the power limit.
  void rest();

  [[nodiscard]] const Protocol& protocol() const { return protocol_; }
  [[nodiscard]] HostClock& clock() { return clock_; }

 private:
  using Take = std::function<Series(std::int64_t)>;

  Timing until_quiet(const Take& take, std::int64_t exactly);
  Series unthrottled(const Take& take, std::int64_t samples, std::int64_t& retries);

  HostClock& clock_;
  const Protocol& protocol_;
  double highest_clock_mhz_;
  double last_clock_mhz_ = 0;
};

}  // namespace stepcast
