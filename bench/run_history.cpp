// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/run_history.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/run_record.hpp"

namespace stepcast {
namespace {

constexpr const char* kRunVariable = "STEPCAST_BENCH_RUN";  // id of the run to continue

nlohmann::json runs_of(const std::filesystem::path& folder) {
  return read_runs(folder / "run.json").value("runs", nlohmann::json::array());
}

}  // namespace

std::optional<ContinuedRun> continued_run(const std::filesystem::path& folder) {
  const char* id = std::getenv(kRunVariable);
  if (id == nullptr) return std::nullopt;
  for (const nlohmann::json& run : runs_of(folder)) {
    if (run.value("id", "") != id) continue;
    ContinuedRun continued{run, {}};
    for (const CeilingRow& row : read_ceilings(folder / "ceilings.csv")) {
      if (row.run == id) continued.ceilings.push_back(row);
    }
    return continued;
  }
  return std::nullopt;
}

void let_next_process_continue(const std::string& run) { setenv(kRunVariable, run.c_str(), 1); }

bool has_sustained_clock(const std::filesystem::path& folder) {
  const nlohmann::json runs = runs_of(folder);
  return std::any_of(runs.begin(), runs.end(), [](const nlohmann::json& run) {
    return run.contains("sustained") && run.at("sustained").is_object();
  });
}

}  // namespace stepcast
