// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/profile_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/run_record.hpp"

namespace stepcast {

namespace {

using nlohmann::json;

/// The runs by their start; the file's order where two started in the same second.
/// Errors: DataError if a start is no text.
std::vector<json> sorted_by_start(const json& runs, const std::string& file) {
  for (const json& run : runs) {
    if (!run.contains("started") || run["started"].is_string()) continue;
    throw DataError(file + ": started: not a text in run " + run["id"].get<std::string>());
  }
  std::vector<json> sorted(runs.begin(), runs.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const json& a, const json& b) {
    return a.value("started", "") < b.value("started", "");
  });
  return sorted;
}

std::string library_list(const json& libraries) {
  std::string text;
  for (const auto& [library, version] : libraries.items()) {
    if (!text.empty()) text += ", ";
    text += library + " " + (version.is_string() ? version.get<std::string>() : version.dump());
  }
  return text;
}

std::string plain_text(const json& run, const char* field) {
  const auto found = run.find(field);
  if (found == run.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

ProfileData::ProfileData(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!std::filesystem::is_directory(folder_)) {
    throw DataError(folder_.string() + ": no such profile folder");
  }
  const auto run_file = folder_ / "run.json";
  if (!std::filesystem::exists(run_file)) {
    throw DataError(run_file.string() + ": missing; 'stepcast measure --out " + folder_.string() +
                    "' makes a profile");
  }
  read_machine(read_runs(run_file)["runs"]);
  take_ops(read_ops(folder_ / "ops.csv"));
  take_ceilings(read_ceilings(folder_ / "ceilings.csv"));
  allreduce_ = read_allreduce(folder_ / "allreduce.csv");
  for (const auto& row : allreduce_) static_cast<void>(age(row.run, "allreduce.csv"));
  for (const char* part : {"host", "contention"}) {
    if (!std::filesystem::exists(folder_ / (std::string(part) + ".csv"))) {
      not_measured_.emplace_back(part);
    }
  }
}

void ProfileData::read_machine(const json& runs) {
  const std::string file = (folder_ / "run.json").string();
  std::string any_name;
  json libraries = json::object();  // of the newest run that used each
  for (const json& run : sorted_by_start(runs, file)) {
    const auto id = run["id"].get<std::string>();
    runs_.emplace(id, static_cast<int>(runs_.size()));
    if (!run.contains("gpu") || !run["gpu"].contains("name")) continue;
    const json& gpu = run["gpu"];
    if (!gpu["name"].is_string()) throw DataError(file + ": gpu.name: not a text in run " + id);
    const auto name = gpu["name"].get<std::string>();
    if (!any_name.empty() && any_name != name) {
      throw DataError(file + ": runs of two GPUs in one profile: " + any_name + ", " + name);
    }
    any_name = name;
    // Another tool's: of an allreduce, or of ops on a GPU that the user named.
    if (run.contains("imported_from") && !gpu.contains("l2_bytes")) continue;
    if (!gpu.contains("l2_bytes") || !gpu["l2_bytes"].is_number() ||
        gpu["l2_bytes"].get<double>() <= 0) {
      throw DataError(file + ": gpu.l2_bytes: missing or not positive in run " + id);
    }
    machine_.gpu = name;
    machine_.l2 = Bytes(gpu["l2_bytes"].get<double>());
    if (run.contains("libraries")) {
      if (!run["libraries"].is_object()) {
        throw DataError(file + ": libraries: not an object in run " + id);
      }
      libraries.update(run["libraries"]);
    }
    machine_.method_version = plain_text(run, "method_version");
  }
  machine_.libraries = library_list(libraries);
  if (machine_.gpu.empty()) throw DataError(file + ": gpu.name: no run says which GPU it timed");
}

int ProfileData::age(const std::string& run, std::string_view file) const {
  const auto found = runs_.find(run);
  if (found != runs_.end()) return found->second;
  throw DataError((folder_ / file).string() + ": run '" + run + "' is not in run.json");
}

void ProfileData::take_ops(std::vector<OpRow> rows) {
  for (OpRow& row : rows) {
    const int row_age = age(row.run, "ops.csv");
    if (row.status != RowStatus::ok) {
      const auto known = refusals_.find(row.key);
      if (known == refusals_.end() || age(known->second.run, "ops.csv") <= row_age) {
        refusals_.insert_or_assign(row.key, std::move(row));
      }
      continue;
    }
    const std::pair place{row.key, row.cache};
    const auto known = ops_.find(place);
    if (known != ops_.end()) {
      const int known_age = age(known->second.run, "ops.csv");
      const bool same_run = known_age == row_age;
      if (known_age > row_age || (same_run && known->second.median_s <= row.median_s)) continue;
    }
    ops_.insert_or_assign(place, std::move(row));
  }
}

void ProfileData::take_ceilings(std::vector<CeilingRow> rows) {
  for (CeilingRow& row : rows) {
    const auto same = [&row](const CeilingRow& other) {
      return other.name == row.name && other.dtype == row.dtype;
    };
    const auto known = std::find_if(ceilings_.begin(), ceilings_.end(), same);
    if (known == ceilings_.end()) {
      static_cast<void>(age(row.run, "ceilings.csv"));
      ceilings_.push_back(std::move(row));
    } else if (age(known->run, "ceilings.csv") <= age(row.run, "ceilings.csv")) {
      *known = std::move(row);
    }
  }
}

const OpRow* ProfileData::find(const std::string& key, const std::string& cache) const {
  const auto found = ops_.find({key, cache});
  return found == ops_.end() ? nullptr : &found->second;
}

const OpRow* ProfileData::refusal(const std::string& key) const {
  const auto found = refusals_.find(key);
  return found == refusals_.end() ? nullptr : &found->second;
}

}  // namespace stepcast
