// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile, loaded: its rows by key, the machine that they come from, and what it lacks.

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/profile.hpp"
#include "core/units.hpp"

namespace stepcast {

/// What run.json says of the machine, from the newest run that timed on a GPU.
struct MachineRecord {
  std::string gpu;
  Bytes l2;
  std::string libraries;  // "cuda 13000, cudnn 91900", as recorded
  std::string method_version;
};

/// Ids of runs to their place in time, the oldest 0.
using RunOrder = std::map<std::string, int, std::less<>>;

class ProfileData {
 public:
  /// Errors: DataError if the folder or its run.json is missing; run.json lacks gpu.name or
  /// gpu.l2_bytes, or has runs of different GPUs; a row's run is not in it; and those of
  /// core/profile.
  explicit ProfileData(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const MachineRecord& machine() const { return machine_; }
  [[nodiscard]] const RunOrder& runs() const { return runs_; }

  /// The time of `key` in cache mode `cache` (cold, hot): of the newest run that has ok rows for
  /// it, the fastest plan. Null if there is none.
  [[nodiscard]] const OpRow* find(const std::string& key, const std::string& cache) const;

  /// The newest row that says why `key` has no time (unsupported, failed). Null if there is none.
  [[nodiscard]] const OpRow* refusal(const std::string& key) const;

  /// Peaks; of rows with one name and type, the newest run's.
  [[nodiscard]] const std::vector<CeilingRow>& ceilings() const { return ceilings_; }

  /// All rows of allreduce.csv.
  [[nodiscard]] const std::vector<AllreduceRow>& allreduce() const { return allreduce_; }

  /// Parts that a prediction would need and that the profile does not hold: host, contention.
  [[nodiscard]] const std::vector<std::string>& not_measured() const { return not_measured_; }

 private:
  void read_machine(const nlohmann::json& runs);
  void take_ops(std::vector<OpRow> rows);
  void take_ceilings(std::vector<CeilingRow> rows);
  [[nodiscard]] int age(const std::string& run, std::string_view file) const;

  std::filesystem::path folder_;
  RunOrder runs_;
  MachineRecord machine_;
  std::map<std::pair<std::string, std::string>, OpRow> ops_;  // by key and cache
  std::map<std::string, OpRow> refusals_;                     // by key
  std::vector<CeilingRow> ceilings_;
  std::vector<AllreduceRow> allreduce_;
  std::vector<std::string> not_measured_;
};

}  // namespace stepcast
