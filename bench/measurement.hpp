// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measurement: what timing a case has given, and the rows of a profile that it becomes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/protocol.hpp"
#include "bench/subject.hpp"
#include "core/profile.hpp"
#include "core/statistics.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// Samples of one plan in one cache mode.
struct Timing {
  Summary summary;  // seconds
  double sm_clock_mhz = 0;
  double drift = 0;             // the last third's median over the first third's, less 1
  double place_difference = 0;  // between the medians of two places in memory
  Stop stop = Stop::not_yet;
  bool unstable = false;        // by the protocol's limits of error and drift
  bool by_graph = false;        // launched as a CUDA graph, not on a stream
  std::int64_t executions = 1;  // of which a sample is the mean
};

struct PlanTiming {
  std::int64_t rank = 0;  // in the library's heuristic list
  PlanFacts facts;
  Verdict verdict;
  KernelFacts kernels;
  Timing cold;
  std::optional<Timing> hot;
};

/// A candidate that was found fast and wrong, or that failed.
struct Rejected {
  std::int64_t rank = 0;
  PlanFacts facts;
  std::string reason;
};

struct Measurement {
  RowStatus status = RowStatus::ok;
  std::string reason;               // empty where status is ok
  std::optional<PlanTiming> first;  // the heuristic's first plan, where another is faster
  PlanTiming best;
  std::int64_t plans_timed = 0;
  std::vector<Rejected> rejected;
  bool device_lost = false;  // the last of the rejected plans ended this process's use of the GPU
};

/// How the reason of a rejected plan begins that an earlier process lost the GPU to.
inline constexpr std::string_view kDeviceLost = "the GPU was lost: ";
/// And where no plan can be left out in the next process.
inline constexpr std::string_view kLostBeforeAPlan = "the GPU was lost before a plan ran: ";

/// The rows of ops.csv, in the order in which they are written: rejected plans, the first plan
/// cold, the best plan cold, the best plan hot. A measurement that is not ok is one row, or none
/// where the row of a rejected first plan says it.
std::vector<OpRow> rows(const Measurement& measurement, const Op& op, const std::string& run);

}  // namespace stepcast
