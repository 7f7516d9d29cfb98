// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Protocol: every knob of how a time is taken. Its values go into the run record, and
// docs/measuring.md says what each is for.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/statistics.hpp"
#include "core/units.hpp"

namespace stepcast {

struct Protocol {
  int method_version = 1;  // rises when times of two versions are no longer comparable

  Seconds device_warm_up = Seconds(3.0);  // clocks settle in about that time
  std::int64_t warm_ups = 2;              // executions of a plan, un-held, before it is sampled

  // A case is sampled until it is quiet, within these limits.
  std::int64_t min_samples = 10;
  std::int64_t max_samples = 1000;
  std::int64_t samples_a_series = 10;
  Seconds min_time = Seconds(0.0);
  Seconds max_time = milliseconds(60);  // by the host's clock, flushes included
  double quiet = 0.005;                 // half the interquartile range over the median

  Seconds hot_group_time =
      milliseconds(1);  // work between one pair of events, if one hold covers it

  // The search for the fastest of a library's plans.
  std::int64_t search_samples = 3;
  double near_best = 0.03;           // candidates within this of the best are timed again
  std::int64_t refine_samples = 10;  // that time

  bool hold = true;
  Seconds hold_timeout = Seconds(2.0);
  std::int64_t launches_behind_hold = 500;
  double flush_l2 = 2.0;  // bytes written before a cold sample, over the L2 attribute

  std::uint64_t seed = 20260;  // of the operands' data
};

/// The full protocol, or that of a short look (--quick): fewer samples, wider noise.
Protocol make_protocol(bool quick);

/// Why sampling ends.
enum class Stop { not_yet, quiet, time, samples };

/// The stop rule. `spent`: time since the case's first sample.
Stop stop(const Protocol& protocol, const Summary& summary, Seconds spent);

/// The values as the run record keeps them; `flush` is what flush_l2 came to on this GPU.
nlohmann::json record(const Protocol& protocol, Bytes flush);

}  // namespace stepcast
