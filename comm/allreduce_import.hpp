// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Brings another tool's allreduce measurements into a profile.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepcast {

struct AllreduceImport {
  std::filesystem::path log;          // what nccl-tests' all_reduce_perf printed or wrote
  std::filesystem::path profile;      // folder; made if it is not there
  std::optional<std::int64_t> ranks;  // where the log does not state them
  std::optional<std::int64_t> nodes;
  std::string command;  // for the run record: what the user typed
};

/// One run of the program in the log.
struct ImportedRun {
  std::string id;  // of the new run in run.json; empty where nothing was new
  std::string tool;
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t added = 0;
  std::int64_t known = 0;  // rows that the profile had already from a file of that name
};

struct AllreduceImportResult {
  std::vector<ImportedRun> runs;
  std::vector<std::string> left_out;  // as in NcclTestsLog
};

/// Appends a log's rows to allreduce.csv and its runs to run.json.
/// Errors: DataError as read_nccl_tests_log(), read_csv() and CsvWriter have it; nothing is written
/// if the log or run.json is refused.
AllreduceImportResult import_allreduce(const AllreduceImport& import);

}  // namespace stepcast
