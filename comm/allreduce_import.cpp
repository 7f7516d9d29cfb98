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

nlohmann::json run_of(const NcclTestsTable& table, const AllreduceImport& import,
                      const std::string& id) {
  nlohmann::json run{{"id", id},
                     {"program", table.tool},
                     {"imported_from", import.log.filename().string()},
                     {"command", import.command},
                     {"gpu", {{"count", table.ranks}}},
                     {"protocol", {{"iterations", table.iterations}}},
                     {"libraries", nlohmann::json::object()}};
  if (!table.gpu.empty()) run["gpu"]["name"] = table.gpu;
  if (!table.nccl_version.empty()) run["libraries"]["nccl"] = table.nccl_version;
  return run;
}

}  // namespace

AllreduceImportResult import_allreduce(const AllreduceImport& import) {
  const std::filesystem::path record = import.profile / "run.json";
  const NcclTestsLog log = read_nccl_tests_log(import.log, {import.ranks, import.nodes});
  static_cast<void>(read_runs(record));  // refused before anything is written
  std::error_code error;
  std::filesystem::create_directories(import.profile, error);
  if (error) throw DataError(import.profile.string() + ": cannot be made: " + error.message());

  const std::filesystem::path file = import.profile / "allreduce.csv";
  CsvWriter writer(file, allreduce_schema());
  std::vector<std::vector<std::string>> known;
  for (const AllreduceRow& row : read_allreduce(file)) known.push_back(identity(row));

  AllreduceImportResult result{{}, log.left_out};
  for (const NcclTestsTable& table : log.tables) {
    ImportedRun run{{}, table.tool, table.ranks, table.nodes, 0, 0};
    for (AllreduceRow row : table.rows) {
      if (std::find(known.begin(), known.end(), identity(row)) != known.end()) {
        ++run.known;
        continue;
      }
      if (run.added++ == 0) {
        run.id = new_run_id();
        // It comes first: rows without a run would have no origin if this ended in between.
        write_run(record, run_of(table, import, run.id));
      }
      row.run = run.id;
      writer.write(cells(row));
    }
    result.runs.push_back(run);
  }
  return result;
}

}  // namespace stepcast
