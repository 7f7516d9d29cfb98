// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measurement: what timing a case has given, and the rows of a profile that it becomes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/profile.hpp"
#include "core/statistics.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// Samples of one plan in one cache mode.
struct Timing {
  Summary summary;  // seconds
  double sm_clock_mhz = 0;
};

struct PlanTiming {
  std::int64_t rank = 0;  // place in the library's heuristic list
  std::string plan;
  std::int64_t workspace_bytes = 0;
  Timing cold;
  std::optional<Timing> hot;
};

struct Measurement {
  RowStatus status = RowStatus::ok;
  std::string reason;               // empty where status is ok
  std::int64_t plans_timed = 0;     // candidates that the search timed
  PlanTiming best;                  // where status is ok
  std::optional<PlanTiming> first;  // rank 0, where another plan is faster
};

/// The rows of an op's measurement: the heuristic's first plan cold (where it is not the fastest),
/// the fastest cold, the fastest hot; one cold row where the op was not timed. The hot row comes
/// last: a key that has one is complete.
std::vector<OpRow> rows(const Measurement& measurement, const Op& op, const std::string& run);

}  // namespace stepcast
