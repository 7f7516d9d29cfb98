// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Brings another tool's allreduce measurements into a profile.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace stepcast {

struct AllreduceImport {
  std::filesystem::path log;          // text of nccl-tests' all_reduce_perf
  std::filesystem::path profile;      // folder; made if it is not there
  std::optional<std::int64_t> ranks;  // where the log does not state them
  std::optional<std::int64_t> nodes;
  std::string command;  // for the run record: what the user typed
};

struct AllreduceImportResult {
  std::string run;  // id of the new run in run.json; empty where nothing was new
  std::string tool;
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t added = 0;
  std::int64_t known = 0;  // rows that the profile had already from a file of that name
};

/// Appends a log's rows to allreduce.csv and a run to run.json.
/// Errors: DataError as read_nccl_tests_log(), read_csv() and CsvWriter have it; nothing is written
/// if the log or run.json is refused.
AllreduceImportResult import_allreduce(const AllreduceImport& import);

}  // namespace stepcast
