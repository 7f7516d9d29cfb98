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

/// Whether a run's rows are as good as those that this protocol would take.
bool suffices(const nlohmann::json& run, const Protocol& protocol) {
  if (run.value("method_version", 0) != protocol.method_version) return false;
  const auto recorded = run.value("protocol", nlohmann::json::object());
  const std::string name = recorded.value("name", "full");
  return name == protocol.name || (name == "full" && protocol.name == "quick");
}

/// The ids of the runs whose rows count. Errors: DataError if one names another GPU.
std::set<std::string> comparable_runs(const std::filesystem::path& file,
                                      const std::string& gpu_uuid, const Protocol& protocol) {
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
    if (suffices(run, protocol)) ids.insert(run.value("id", ""));
  }
  return ids;
}

}  // namespace

Recorded::Recorded(const std::filesystem::path& folder, const std::string& gpu_uuid,
                   const Protocol& protocol, const std::optional<std::string>& only_run) {
  auto runs = comparable_runs(folder / "run.json", gpu_uuid, protocol);
  if (only_run) std::erase_if(runs, [&](const std::string& run) { return run != *only_run; });
  for (const OpRow& row : read_ops(folder / "ops.csv")) {
    if (runs.contains(row.run)) take(row);
  }
  for (const BlockRow& row : read_blocks(folder / "blocks.csv")) {
    const bool again = row.status == RowStatus::failed || row.status == RowStatus::throttled;
    const bool lost = row.reason.starts_with(kDeviceLost);
    if (runs.contains(row.run) && (!again || lost)) blocks_.insert(row.block);
  }
}

void Recorded::take(const OpRow& row) {
  rows_.insert(row_identity(row));
  const bool last = row.status == RowStatus::ok && row.cache == "hot";
  const bool hopeless =
      row.status == RowStatus::unsupported || row.reason.starts_with(kLostBeforeAPlan);
  if (last || hopeless) complete_.insert(row.key);
  if (row.reason.starts_with(kDeviceLost) && !row.plan.empty()) {
    lethal_[row.key].insert(row.plan_rank);
  }
  if (row.status != RowStatus::ok) return;
  // The best plan's cold row comes after the first plan's, and its hot row last.
  Alone& alone = alone_[row.key];
  alone.rank = row.plan_rank;
  (last ? alone.hot : alone.cold) = Seconds(row.median_s);
}

bool Recorded::contains(const OpRow& row) const { return rows_.contains(row_identity(row)); }

std::vector<Op> Recorded::remaining(const std::vector<Op>& ops) const {
  std::vector<Op> rest;
  std::copy_if(ops.begin(), ops.end(), std::back_inserter(rest),
               [this](const Op& op) { return !complete(key(op)); });
  return rest;
}

std::set<std::int64_t> Recorded::lethal(const std::string& key) const {
  const auto found = lethal_.find(key);
  return found == lethal_.end() ? std::set<std::int64_t>{} : found->second;
}

std::optional<Alone> Recorded::alone(const std::string& key) const {
  const auto found = alone_.find(key);
  if (found == alone_.end() || !complete(key)) return std::nullopt;
  return found->second;
}

}  // namespace stepcast
