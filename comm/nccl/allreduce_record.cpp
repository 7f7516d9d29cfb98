// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/allreduce_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "comm/collective.hpp"
#include "comm/nccl/check_nccl.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/versions.hpp"
#include "core/error.hpp"
#include "core/run_record.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr const char* kTool = "stepcast-comm";

std::string identity(std::string_view dtype, std::int64_t payload, bool in_place,
                     std::int64_t ranks) {
  return fmt::format("{} {} {} {}", dtype, payload, in_place, ranks);
}

/// Makes the folder before a writer opens a file in it.
std::filesystem::path made(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DataError(folder.string() + ": cannot be made: " + error.message());
  return folder;
}

json nccl_environment() {
  json variables = json::object();
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (text.starts_with("NCCL_") && equals != std::string_view::npos) {
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    }
  }
  return variables;
}

cudaDeviceProp properties(int device) {
  cudaDeviceProp found{};
  check(cudaGetDeviceProperties(&found, device),
        fmt::format("reading the properties of device {}", device));
  return found;
}

/// The ids of stepcast-comm's runs with this method.
/// Errors: DataError if a run names a GPU that is not among ours.
std::set<std::string> comparable_runs(const std::filesystem::path& file, const json& ours) {
  std::set<std::string> ids;
  const json record = read_runs(file);
  for (const json& run : record["runs"]) {
    const json gpu = run.value("gpu", json::object());
    const std::string uuid = gpu.value("uuid", "");
    const json& uuids = ours["gpu"]["uuids"];
    if (!uuid.empty() && std::find(uuids.begin(), uuids.end(), uuid) == uuids.end()) {
      throw DataError(
          fmt::format("{}: run {} is of another GPU, {} {}; a profile is of one machine, "
                      "so choose another folder",
                      file.string(), run.value("id", ""), gpu.value("name", ""), uuid));
    }
    if (run.value("program", "") == kTool &&
        run.value("method_version", 0) == kAllreduceMethodVersion) {
      ids.insert(run.value("id", ""));
    }
  }
  return ids;
}

AllreduceRow blank_row(const AllreduceCase& one, int ranks) {
  AllreduceRow row;
  row.tool = kTool;
  row.collective = "allreduce";
  row.dtype = name(one.dtype);
  row.payload_bytes = one.payload_bytes;
  row.in_place = one.in_place;
  row.ranks = ranks;
  row.nodes = 1;
  return row;
}

}  // namespace

AllreduceRow timed_row(const AllreduceCase& one, const AllreduceTiming& timing, int ranks) {
  if (timing.wrong_elements > 0) {
    return untimed_row(one, RowStatus::failed,
                       fmt::format("{} wrong elements", timing.wrong_elements), ranks);
  }
  if (ranks == 1) return untimed_row(one, RowStatus::unsupported, kNoCommunication, ranks);
  AllreduceRow row = blank_row(one, ranks);
  const Bytes payload(static_cast<double>(one.payload_bytes));
  row.median_s = timing.median.count();
  row.min_rank_s = timing.min_rank.count();
  row.mean_rank_s = timing.mean_rank.count();
  row.max_rank_s = timing.max_rank.count();
  row.iterations = timing.iterations;
  row.algbw_bytes_per_s = algorithm_bandwidth(payload, timing.max_rank).count();
  row.busbw_bytes_per_s = bus_bandwidth(ranks, payload, timing.max_rank).count();
  row.wrong_elements = timing.wrong_elements;
  return row;
}

AllreduceRow untimed_row(const AllreduceCase& one, RowStatus status, const std::string& reason,
                         int ranks) {
  AllreduceRow row = blank_row(one, ranks);
  row.status = status;
  row.reason = reason;
  return row;
}

json comm_run(const std::vector<std::string>& command, const std::vector<int>& devices,
              const AllreduceProtocol& protocol) {
  json run = new_run(kTool, command, properties(devices.front()));
  run["method_version"] = kAllreduceMethodVersion;
  run["gpu"]["count"] = devices.size();
  for (const int device : devices) {
    const cudaDeviceProp found = properties(device);
    run["gpu"]["names"].push_back(found.name);
    run["gpu"]["uuids"].push_back(gpu_uuid(found));
  }
  run["libraries"]["nccl"] = nccl_version();
  for (const char* unused : {"cudnn", "cublaslt"}) run["libraries"].erase(unused);
  run["protocol"] = {{"warmup", protocol.warmup},
                     {"iterations", protocol.iterations},
                     {"time", "events on each GPU's stream, slowest GPU"}};
  run["environment"] = nccl_environment();
  return run;
}

AllreduceRecord::AllreduceRecord(const std::filesystem::path& folder, const json& run)
    : folder_(made(folder)),
      run_(std::make_unique<json>(run)),
      start_(std::chrono::steady_clock::now()),
      writer_(folder / "allreduce.csv", allreduce_schema()) {
  const std::set<std::string> runs = comparable_runs(folder_ / "run.json", run);
  for (const AllreduceRow& row : read_allreduce(folder_ / "allreduce.csv")) {
    const bool settled = row.status == RowStatus::ok || row.status == RowStatus::unsupported;
    if (row.tool != kTool || row.nodes != 1 || !settled || !runs.contains(row.run)) continue;
    known_.insert(identity(row.dtype, row.payload_bytes, row.in_place, row.ranks));
  }
}

AllreduceRecord::~AllreduceRecord() = default;

bool AllreduceRecord::contains(const AllreduceCase& one, int ranks) const {
  return known_.contains(identity(name(one.dtype), one.payload_bytes, one.in_place, ranks));
}

void AllreduceRecord::write(AllreduceRow row) {
  const std::string id = identity(row.dtype, row.payload_bytes, row.in_place, row.ranks);
  if (!written_.insert(id).second) return;
  // The run comes first: rows without a run would have no origin if this ended in between.
  if (written_.size() == 1) finish();
  row.run = (*run_)["id"];
  writer_.write(cells(row));
}

void AllreduceRecord::finish() {
  if (written_.empty()) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  (*run_)["seconds"] = taken.count();
  write_run(folder_ / "run.json", *run_);
}

}  // namespace stepcast
