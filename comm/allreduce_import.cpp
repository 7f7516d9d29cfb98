// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/allreduce_import.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "comm/nccl_tests_log.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/run_record.hpp"

namespace stepcast {
namespace {

/// A row without its run, as text: what two imports of one file have in common.
std::vector<std::string> identity(AllreduceRow row) {
  row.run.clear();
  return cells(row);
}

nlohmann::json run_of(const NcclTestsLog& log, const AllreduceImport& import,
                      const std::string& id) {
  nlohmann::json run{{"id", id},
                     {"program", log.tool},
                     {"imported_from", import.log.filename().string()},
                     {"command", import.command},
                     {"gpu", {{"count", log.ranks}}},
                     {"protocol", {{"iterations", log.iterations}}},
                     {"libraries", nlohmann::json::object()}};
  if (!log.gpu.empty()) run["gpu"]["name"] = log.gpu;
  if (!log.nccl_version.empty()) run["libraries"]["nccl"] = log.nccl_version;
  return run;
}

}  // namespace

AllreduceImportResult import_allreduce(const AllreduceImport& import) {
  const std::string id = new_run_id();
  const std::filesystem::path record = import.profile / "run.json";
  const NcclTestsLog log = read_nccl_tests_log(import.log, {import.ranks, import.nodes, id});
  static_cast<void>(read_runs(record));  // refused before anything is written
  std::error_code error;
  std::filesystem::create_directories(import.profile, error);
  if (error) throw DataError(import.profile.string() + ": cannot be made: " + error.message());

  const std::filesystem::path file = import.profile / "allreduce.csv";
  CsvWriter writer(file, allreduce_schema());
  std::vector<std::vector<std::string>> known;
  for (const AllreduceRow& row : read_allreduce(file)) known.push_back(identity(row));

  AllreduceImportResult result{{}, log.tool, log.ranks, log.nodes, 0, 0};
  std::vector<AllreduceRow> fresh;
  for (const AllreduceRow& row : log.rows) {
    if (std::find(known.begin(), known.end(), identity(row)) != known.end()) {
      ++result.known;
    } else {
      fresh.push_back(row);
    }
  }
  result.added = static_cast<std::int64_t>(fresh.size());
  if (fresh.empty()) return result;
  result.run = id;
  // The run comes first: rows without a run would have no origin if this ended in between.
  write_run(record, run_of(log, import, id));
  for (const AllreduceRow& row : fresh) writer.write(cells(row));
  return result;
}

}  // namespace stepcast
