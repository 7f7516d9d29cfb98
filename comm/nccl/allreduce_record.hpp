// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of a profile that stepcast-comm writes: its rows in allreduce.csv, its run in run.json.

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "comm/nccl/allreduce_timing.hpp"
#include "core/csv.hpp"
#include "core/profile.hpp"

namespace stepcast {

/// How the times are taken; counted up when a time means something else.
inline constexpr int kAllreduceMethodVersion = 1;

inline constexpr const char* kNoCommunication = "no communication (1 rank)";

/// The row of a case that was timed. One rank is `unsupported`: it has nothing to communicate.
/// Wrong sums are `failed`.
AllreduceRow timed_row(const AllreduceCase& one, const AllreduceTiming& timing, int ranks);

/// The row of a case that was not.
AllreduceRow untimed_row(const AllreduceCase& one, RowStatus status, const std::string& reason,
                         int ranks);

/// The run: this machine's GPUs and libraries, the protocol, the NCCL_ variables of the
/// environment. Errors: LibraryError.
nlohmann::json comm_run(const std::vector<std::string>& command, const std::vector<int>& devices,
                        const AllreduceProtocol& protocol);

class AllreduceRecord {
 public:
  /// Opens a profile's folder, and makes it if it is not there.
  /// Errors: DataError if a file is broken or a run of stepcast is of other GPUs than `run`.
  AllreduceRecord(const std::filesystem::path& folder, const nlohmann::json& run);
  AllreduceRecord(const AllreduceRecord&) = delete;
  AllreduceRecord& operator=(const AllreduceRecord&) = delete;
  ~AllreduceRecord();

  /// Whether a run with this method has timed the case at this rank count, or found that it cannot
  /// be.
  [[nodiscard]] bool contains(const AllreduceCase& one, int ranks) const;

  /// Appends a row; of a case that this run has written already, nothing.
  void write(AllreduceRow row);

  /// Writes how long the run took.
  void finish();

 private:
  std::filesystem::path folder_;
  std::unique_ptr<nlohmann::json> run_;
  std::chrono::steady_clock::time_point start_;
  CsvWriter writer_;
  std::set<std::string> known_;    // from earlier runs
  std::set<std::string> written_;  // by this one
};

}  // namespace stepcast
