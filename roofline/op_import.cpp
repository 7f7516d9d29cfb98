// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/op_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/run_record.hpp"
#include "core/statistics.hpp"
#include "layers/cost.hpp"
#include "layers/math.hpp"
#include "layers/op.hpp"
#include "roofline/google_benchmark.hpp"
#include "roofline/gpu_sheet.hpp"

namespace stepcast {
namespace {

const CsvSchema kMapping{"", 1, {"benchmark", "key", "cache"}};

Op op_of(const CsvRow& row) {
  try {
    return parse(row.text("key"));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", row.place("key"), error.what()));
  }
}

OpRow row_of(const BenchmarkTimes& benchmark, const Op& op, const std::string& cache) {
  OpRow row;
  row.key = key(op);
  row.cache = cache;
  row.math = math(op);
  row.notes = benchmark.name;
  const Cost work = cost(op);
  row.flop = work.flop.count();
  row.least_bytes = work.least_bytes.count();
  row.written_bytes = work.written_bytes.count();
  if (!benchmark.error.empty()) {
    row.status = RowStatus::failed;
    row.reason = benchmark.error;
    return row;
  }
  const Summary summary = summarise(benchmark.seconds);
  row.median_s = summary.median;
  row.p25_s = summary.p25;
  row.p75_s = summary.p75;
  row.min_s = summary.min;
  row.p95_s = summary.p95;
  row.samples = summary.samples;
  row.noise = summary.noise;
  row.median_error = summary.median_error;
  row.stop = "samples";
  row.launch = "stream";
  row.executions = std::max<std::int64_t>(benchmark.iterations, 1);
  return row;
}

std::vector<OpRow> mapped_rows(const OpImport& import, const BenchmarkFile& file,
                               std::vector<std::string>& unmapped) {
  std::vector<OpRow> rows;
  std::set<std::string> used;
  std::set<std::pair<std::string, std::string>> places;
  for (const CsvRow& line : read_csv(import.mapping, kMapping)) {
    const std::string& wanted = line.text("benchmark");
    const auto found = std::find_if(
        file.benchmarks.begin(), file.benchmarks.end(),
        [&wanted](const BenchmarkTimes& benchmark) { return benchmark.name == wanted; });
    if (found == file.benchmarks.end()) {
      throw DataError(fmt::format("{}: '{}' is not in {}", line.place("benchmark"), wanted,
                                  import.times.string()));
    }
    const std::string& cache = line.text("cache");
    if (cache != "cold" && cache != "hot") {
      throw DataError(fmt::format("{}: '{}' is neither cold nor hot", line.place("cache"), cache));
    }
    rows.push_back(row_of(*found, op_of(line), cache));
    if (!places.emplace(rows.back().key, cache).second) {
      throw DataError(fmt::format("{}: {} {} has a benchmark already", line.place("key"),
                                  rows.back().key, cache));
    }
    used.insert(wanted);
  }
  if (rows.empty()) throw DataError(import.mapping.string() + ": maps no benchmark");
  for (const BenchmarkTimes& benchmark : file.benchmarks) {
    if (used.count(benchmark.name) == 0) unmapped.push_back(benchmark.name);
  }
  return rows;
}

nlohmann::json run_of(const OpImport& import, const BenchmarkFile& file, const std::string& id) {
  nlohmann::json run{{"id", id},
                     {"program", "google-benchmark"},
                     {"executable", file.executable},
                     {"imported_from", import.times.filename().string()},
                     {"command", import.command},
                     {"protocol", {{"time", import.time}}},
                     {"libraries", nlohmann::json::object()}};
  if (import.gpu) {
    const GpuSheet sheet = gpu_sheet(*import.gpu);
    run["gpu"] = {{"name", sheet.reported_name}, {"l2_bytes", sheet.l2.count()}};
  }
  return run;
}

std::vector<std::string> identity(OpRow row) {
  row.run.clear();
  return cells(row);
}

}  // namespace

OpImportResult import_ops(const OpImport& import) {
  const BenchmarkFile file = read_google_benchmark(import.times, import.time);
  OpImportResult result;
  std::vector<OpRow> rows = mapped_rows(import, file, result.unmapped);
  const nlohmann::json run = run_of(import, file, new_run_id());
  const std::filesystem::path record = import.profile / "run.json";
  static_cast<void>(read_runs(record));  // refused before anything is written
  std::error_code error;
  std::filesystem::create_directories(import.profile, error);
  if (error) throw DataError(import.profile.string() + ": cannot be made: " + error.message());

  const std::filesystem::path table = import.profile / "ops.csv";
  CsvWriter writer(table, ops_schema());
  std::set<std::vector<std::string>> known;
  for (const OpRow& row : read_ops(table)) known.insert(identity(row));
  for (OpRow& row : rows) {
    if (known.count(identity(row)) > 0) {
      ++result.known;
      continue;
    }
    if (result.added++ == 0) {
      result.run = run["id"];
      write_run(record, run);  // first: rows without a run would have no origin
    }
    row.run = result.run;
    writer.write(cells(row));
  }
  return result;
}

}  // namespace stepcast
