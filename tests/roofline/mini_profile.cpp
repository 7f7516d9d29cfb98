// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/roofline/mini_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/csv.hpp"
#include "core/run_record.hpp"
#include "layers/cost.hpp"

namespace stepcast::testing {

namespace fs = std::filesystem;

double mini_cold_time_s(const Op& op) {
  const Cost one = cost(op);
  return 2e-6 + std::max(one.flop.count() / 500e12, one.least_bytes.count() / 4e12);
}

OpRow op_row(const std::string& key, const std::string& cache, double median_s) {
  OpRow row;
  row.key = key;
  row.cache = cache;
  row.run = kMiniRun;
  row.median_s = row.p25_s = row.p75_s = row.min_s = row.p95_s = median_s;
  row.samples = 10;
  row.stop = "quiet";
  row.launch = "stream";
  row.plans_timed = 1;
  row.plan = "made_up";
  return row;
}

double mini_allreduce_time_s(double payload_bytes) { return 20e-6 + payload_bytes / 200e9; }

AllreduceRow allreduce_row(std::int64_t ranks, std::int64_t payload_bytes, double median_s) {
  AllreduceRow row;
  row.tool = "stepcast-comm";
  row.collective = "allreduce";
  row.dtype = "fp32";
  row.payload_bytes = payload_bytes;
  row.ranks = ranks;
  row.run = kMiniRun;
  row.median_s = row.min_rank_s = row.mean_rank_s = row.max_rank_s = median_s;
  row.iterations = 20;
  row.algbw_bytes_per_s = static_cast<double>(payload_bytes) / median_s;
  const auto n = static_cast<double>(ranks);
  row.busbw_bytes_per_s = row.algbw_bytes_per_s * 2 * (n - 1) / n;
  return row;
}

void write_run_record(const fs::path& folder) {
  fs::create_directories(folder);
  write_run(folder / "run.json", {{"id", kMiniRun},
                                  {"started", "2026-01-01T00:00:00Z"},
                                  {"program", "stepcast-bench"},
                                  {"method_version", 1},
                                  {"gpu", {{"name", kMiniGpu}, {"l2_bytes", kMiniL2Bytes}}},
                                  {"libraries", {{"cudnn", "9.19.0"}, {"nccl", "2.28.3"}}}});
}

void write_ops(const fs::path& folder, const std::vector<OpRow>& rows) {
  fs::remove(folder / "ops.csv");
  CsvWriter writer(folder / "ops.csv", ops_schema());
  for (const OpRow& row : rows) writer.write(cells(row));
}

void write_allreduce(const fs::path& folder, const std::vector<AllreduceRow>& rows) {
  fs::remove(folder / "allreduce.csv");
  CsvWriter writer(folder / "allreduce.csv", allreduce_schema());
  for (const AllreduceRow& row : rows) writer.write(cells(row));
}

void write_ceilings(const fs::path& folder) {
  fs::remove(folder / "ceilings.csv");
  CsvWriter writer(folder / "ceilings.csv", ceilings_schema());
  writer.write(
      cells(CeilingRow{"copy_bandwidth", "fp32", "bytes_per_s", 4e12, 0, kMiniRun, "copy"}));
  writer.write(cells(CeilingRow{"matrix_rate", "fp16", "flop_per_s", 400e12, 0, kMiniRun, "gemm"}));
  writer.write(cells(CeilingRow{"matrix_rate", "bf16", "flop_per_s", 500e12, 0, kMiniRun, "gemm"}));
}

void write_mini_profile(const fs::path& folder, const MiniProfile& mini) {
  fs::remove_all(folder);
  write_run_record(folder);
  std::vector<OpRow> rows;
  std::set<std::string> known;
  for (const std::int64_t batch : mini.batches) {
    RecipeOptions recipe = mini.recipe;
    recipe.batch = batch;
    for (const PlacedOp& placed : step_ops(mini.model, recipe)) {
      const std::string op_key = key(placed.op);
      if (!known.insert(op_key).second) continue;
      rows.push_back(op_row(op_key, "cold", mini_cold_time_s(placed.op)));
      rows.push_back(op_row(op_key, "hot", 0.8 * mini_cold_time_s(placed.op)));
    }
  }
  write_ops(folder, rows);
  write_ceilings(folder);
  if (!mini.allreduce) return;
  std::vector<AllreduceRow> points;
  for (std::int64_t payload = 1024; payload <= 64 << 20; payload *= 2) {
    points.push_back(
        allreduce_row(2, payload, mini_allreduce_time_s(static_cast<double>(payload))));
  }
  write_allreduce(folder, points);
}

fs::path test_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  fs::path folder = fs::path(::testing::TempDir()) / "stepcast_roofline" /
                    (std::string(test->test_suite_name()) + "." + test->name());
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

}  // namespace stepcast::testing
