// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Session: a GPU made ready for timing, which times each case once and remembers it.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/arena.hpp"
#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "bench/options.hpp"
#include "bench/protocol.hpp"
#include "bench/sampler.hpp"
#include "bench/workload.hpp"
#include "core/cuda/libraries.hpp"
#include "core/cuda/stopwatch.hpp"
#include "core/profile.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

class Session {
 public:
  /// Takes the device, warms it up and measures its ceilings.
  /// Errors: LibraryError: no GPU, no code for it, or a library that says no.
  Session(const BenchOptions& options, const std::vector<std::string>& command);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The case's measurement. Cases with one identity share it; the n-th repetition of each is
  /// measured when a case first asks for it.
  /// Errors: LibraryError where the device is lost; all else is the measurement's status.
  const Measurement& measure(const Case& chosen, std::size_t repetition = 0);

  [[nodiscard]] const std::vector<CeilingRow>& ceilings() const { return ceilings_; }

  /// The run's record, with method version and protocol; seconds are 0.
  [[nodiscard]] const nlohmann::json& run() const { return run_; }
  [[nodiscard]] std::string run_id() const { return run_.at("id").get<std::string>(); }

 private:
  Measurement time(const Case& chosen);
  void time_op(const Op& op, Workload& workload, Measurement& result);
  void time_block(const Case& block, Workload& workload, Measurement& result);
  PlanTiming describe(const Plan& plan) const;

  Protocol protocol_;
  PlanOptions plans_;
  Libraries libraries_;
  Stopwatch stopwatch_;
  Sampler sampler_;
  Arena arena_;
  nlohmann::json run_;
  std::vector<CeilingRow> ceilings_;
  std::map<std::string, std::vector<Measurement>> measured_;  // by identity, then repetition
};

}  // namespace stepcast
