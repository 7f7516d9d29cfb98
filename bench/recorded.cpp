// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/run_record.hpp"

namespace stepcast {
namespace {

std::string row_identity(const OpRow& row) {
  return row.key + " " + row.cache + " " + std::to_string(row.plan_rank) + " " +
         std::to_string(static_cast<int>(row.status));
}

/// The ids of the runs that used this method. Errors: DataError if one names another GPU.
std::set<std::string> comparable_runs(const std::filesystem::path& file,
                                      const std::string& gpu_uuid, int method_version) {
  std::set<std::string> ids;
  const nlohmann::json record = read_runs(file);
  if (!record.contains("runs")) return ids;
  for (const nlohmann::json& run : record.at("runs")) {
    const nlohmann::json gpu = run.value("gpu", nlohmann::json::object());
    const std::string uuid = gpu.value("uuid", "");
    if (!uuid.empty() && uuid != gpu_uuid) {
      throw DataError(fmt::format(
          "{}: run {} is of another GPU, {} {}; this one is {}; a profile is of one GPU, so "
          "choose another folder",
          file.string(), run.value("id", ""), gpu.value("name", ""), uuid, gpu_uuid));
    }
    if (run.value("method_version", 0) == method_version) ids.insert(run.value("id", ""));
  }
  return ids;
}

}  // namespace

Recorded::Recorded(const std::filesystem::path& folder, const std::string& gpu_uuid,
                   int method_version) {
  const auto runs = comparable_runs(folder / "run.json", gpu_uuid, method_version);
  for (const OpRow& row : read_ops(folder / "ops.csv")) {
    if (!runs.contains(row.run)) continue;
    rows_.insert(row_identity(row));
    const bool last = row.status == RowStatus::ok && row.cache == "hot";
    if (last || row.status == RowStatus::unsupported) complete_.insert(row.key);
  }
}

bool Recorded::contains(const OpRow& row) const { return rows_.contains(row_identity(row)); }

std::vector<Op> Recorded::remaining(const std::vector<Op>& ops) const {
  std::vector<Op> rest;
  std::copy_if(ops.begin(), ops.end(), std::back_inserter(rest),
               [this](const Op& op) { return !complete(key(op)); });
  return rest;
}

}  // namespace stepcast
