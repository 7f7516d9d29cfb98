// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Protocol: every knob of how a time is taken. Its values go into the run record, and
// docs/measuring.md says what each is for.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"
#include "core/statistics.hpp"
#include "core/units.hpp"

namespace stepcast {

struct Protocol {
  int method_version = 3;     // rises when times of two versions are no longer comparable
  std::string name = "full";  // full or quick; a full run times again what a quick one left

  Seconds device_warm_up = Seconds(3.0);  // clocks settle in about that time
  std::int64_t warm_ups = 2;              // executions of a plan, un-held, before it is sampled

  // A case is sampled until its median is known or its noise has settled, within these limits.
  std::int64_t min_samples = 8;
  std::int64_t max_samples = 2000;
  std::int64_t samples_a_series = 8;    // of the first series; later ones are as long as is needed,
  std::int64_t most_a_series = 50;      // up to this
  Seconds max_time = milliseconds(50);  // by the host's clock, all included
  double quiet = 0.002;                 // standard error of the median over the median
  double settled = 0.02;                // change of the noise from a half of the samples to all

  // Exactly so many cold samples, whatever the noise; 0: by the rule.
  std::int64_t fixed_samples = 0;

  // What makes a row unstable: its median is not known better than this, or it drifts or depends on
  // the place in memory by more than that.
  double unstable_error = 0.01;
  double unstable_drift = 0.03;

  // Throttling: a series at a lower share of the GPU's highest SM clock is dropped. A matrix
  // product at the power limit runs at 0.7 of it on an H200 and is no fault.
  double least_clock = 0.6;
  std::int64_t throttle_retries = 5;  // for one case
  Seconds throttle_wait = milliseconds(200);

  // After a series at a lower share than this the GPU rests before the next case begins, so that no
  // case pays for the power that the one before it drew.
  double rest_clock = 0.8;
  Seconds rest = milliseconds(150);

  // A sample is the mean of a group of executions between one pair of events, at least one, that
  // takes about this long. Cold ones go round sets of operands that hold the bytes of a flush
  // together; 1: a sample is one execution behind a flush.
  Seconds group_time = milliseconds(0.7);
  double pause = 2.0;  // after a group, over its time: no op reaches the power limit by itself
  std::int64_t most_executions = 512;
  std::int64_t most_sets = 64;
  double most_memory = 0.5;         // of the device's, for all sets; else fewer sets or places
  std::int64_t graph_nodes = 2000;  // at most, of a group as a CUDA graph
  std::int64_t hot_groups = 8;

  // An execution is estimated by cold groups of this length, or from estimate_by_host on by its
  // warm-ups, in which the host's gaps are then no matter.
  Seconds estimate_time = milliseconds(0.1);
  Seconds estimate_by_host = milliseconds(1);

  // The search for the fastest of a library's plans.
  std::int64_t search_samples = 4;
  Seconds search_group_time = milliseconds(0.15);
  double near_best = 0.04;  // candidates within this of the best are timed again
  // That time: fewer samples, but at least refine_least, where they would take longer together.
  std::int64_t refine_samples = 12;
  Seconds refine_time = milliseconds(8);
  std::int64_t refine_least = 6;
  double tie = 0.004;     // of those this near to the best the heuristic's first is taken
  double hopeless = 1.5;  // a candidate of this estimate over the best is not sampled
  // Candidates that are tried: a number, so that a second search tries the same; no new one after
  // search_time, but at least search_least.
  std::int64_t search_most = 20;
  std::int64_t search_least = 10;
  Seconds search_time = Seconds(2.0);

  bool verify = true;  // results against a reference in double, before they are timed

  bool hold = true;
  Seconds hold_timeout = Seconds(2.0);
  std::int64_t launches_behind_hold = 500;
  double flush_l2 = 2.0;  // bytes of a flush over the L2 attribute

  Seconds sustained_time = Seconds(10.0);  // of the loop that shows the sustained clock; 0: none
  Seconds ceiling_rest = Seconds(0.3);     // before a matrix rate is measured, and after them

  std::uint64_t seed = 20260;  // of the operands' data
};

/// The full protocol, or that of a short look (--quick): a shorter search and fewer samples.
Protocol make_protocol(bool quick);

/// Why sampling ended. quiet: the median's standard error is small enough. settled: the noise no
/// longer changes, and the median is known to a few times that. time, samples: a limit.
enum class Stop { not_yet, quiet, settled, time, samples };

inline constexpr EnumNames<Stop, 5> kStopNames{{{Stop::not_yet, "not_yet"},
                                                {Stop::quiet, "quiet"},
                                                {Stop::settled, "settled"},
                                                {Stop::time, "time"},
                                                {Stop::samples, "samples"}}};

/// The stop rule. `spent`: time since the case's first sample. `noise_before`: the noise of the
/// first half of the samples.
Stop stop(const Protocol& protocol, const Summary& summary, double noise_before, Seconds spent);

/// As many samples in each of two places in memory: `samples`, or one more.
std::int64_t even(std::int64_t samples);

/// Samples that the next series should have, so that the median becomes quiet if the noise stays;
/// an even number.
std::int64_t next_samples(const Protocol& protocol, const Summary& summary);

/// The values as the run record keeps them; `flush` is what flush_l2 came to on this GPU.
nlohmann::json record(const Protocol& protocol, Bytes flush);

}  // namespace stepcast
