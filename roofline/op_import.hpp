// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Brings the times of others' benchmarks into a profile's ops.csv.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepcast {

struct OpImport {
  std::filesystem::path times;     // Google Benchmark's JSON or CSV
  std::filesystem::path mapping;   // CSV: benchmark,key,cache
  std::filesystem::path profile;   // folder; made if it is not there
  std::string time = "real_time";  // as read_google_benchmark() has it
  std::optional<std::string> gpu;  // its name in data/gpus.csv
  std::string command;             // for the run record: what the user typed
};

struct OpImportResult {
  std::string run;  // id of the new run in run.json; empty where nothing was new
  std::int64_t added = 0;
  std::int64_t known = 0;             // rows that the profile had already from a file of that name
  std::vector<std::string> unmapped;  // benchmarks that the mapping does not name
};

/// Appends a row for each line of the mapping to ops.csv, and a run to run.json. What other
/// programs do not say stays empty or 0: drift, clock, plans, checked elements. `notes` has the
/// benchmark's name. A benchmark that reported an error becomes a row of status failed. Errors:
/// DataError `file:line:column` for a key that is no op's, a cache that is neither cold nor
///         hot, a benchmark that is not in the file or is mapped twice to one row; a GPU that
///         data/gpus.csv does not have; as read_google_benchmark(), read_csv() and CsvWriter have
///         it. Nothing is written then.
OpImportResult import_ops(const OpImport& import);

}  // namespace stepcast
