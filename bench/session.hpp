// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Session: a GPU made ready for timing, which times each case once and remembers it.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/arena.hpp"
#include "bench/cases.hpp"
#include "bench/gpu_subject.hpp"
#include "bench/measurement.hpp"
#include "bench/options.hpp"
#include "bench/protocol.hpp"
#include "bench/run_history.hpp"
#include "bench/sampler.hpp"
#include "bench/step/block_row.hpp"
#include "bench/workload.hpp"
#include "core/cuda/libraries.hpp"
#include "core/cuda/stopwatch.hpp"
#include "core/profile.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

class Session {
 public:
  /// Takes the device, warms it up and measures its ceilings; a run that is continued has its own.
  /// Errors: LibraryError: no GPU, no code for it, or a library that says no.
  Session(const BenchOptions& options, const std::vector<std::string>& command,
          const std::optional<ContinuedRun>& continued = std::nullopt);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The case's measurement. Cases with one identity share it; the n-th repetition of each is
  /// measured when a case first asks for it, with the plan that the first one found.
  /// Errors: LibraryError where the device is lost; all else is the measurement's status.
  const Measurement& measure(const Case& chosen, std::size_t repetition = 0);

  /// Plans of this key that must not run: an earlier process lost the GPU to them.
  void avoid(const std::string& key, std::set<std::int64_t> ranks) { lethal_[key].merge(ranks); }

  /// A block, cold, chained and apart; each op runs the plan of this rank.
  /// Errors: as measure().
  BlockTiming time_block(const Case& block, std::span<const std::int64_t> ranks);

  /// Runs a block back to back for the protocol's sustained_time and tells the SM clock at its
  /// beginning and its end: {block, seconds, sm_clock_mhz, burst_sm_clock_mhz}; null where the
  /// block cannot run. Errors: as measure().
  nlohmann::json sustained_clock(const Case& block, std::span<const std::int64_t> ranks);

  [[nodiscard]] const std::vector<CeilingRow>& ceilings() const { return ceilings_; }
  [[nodiscard]] const Protocol& protocol() const { return protocol_; }
  [[nodiscard]] Bytes l2() const { return l2_bytes(libraries_.device); }

  /// The run's record, with method version and protocol; seconds are 0.
  [[nodiscard]] const nlohmann::json& run() const { return run_; }
  [[nodiscard]] std::string run_id() const { return run_.at("id").get<std::string>(); }

 private:
  Measurement time(const Case& chosen, const Measurement* known);
  Measurement time_op(const Case& chosen, const Measurement* known);
  Measurement time_block_case(const Case& block);
  Workload block_workload(const Case& block, std::span<const std::int64_t> ranks,
                          Dataflow dataflow);
  Timing time_whole(Workload& workload);
  nlohmann::json loop(const Case& block, std::span<const std::int64_t> ranks);

  Protocol protocol_;
  PlanOptions plans_;
  Libraries libraries_;
  Stopwatch stopwatch_;
  SteadyClock clock_;
  nlohmann::json run_;
  Sampler sampler_;
  Arena arena_;
  Arena scratch_;
  std::vector<CeilingRow> ceilings_;
  std::map<std::string, std::vector<Measurement>> measured_;  // by identity, then repetition
  std::map<std::string, std::set<std::int64_t>> lethal_;      // by key
};

}  // namespace stepcast
