// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "comm/nccl_tests_table.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

/// The parts of a document that are whole, also where the program was killed while it wrote.
struct Document {
  json top = json::object();  // what is neither of the others
  json config = json::object();
  std::vector<json> results;
  bool whole = false;
  std::string cut_off;  // where and why, in the parser's words
};

Document read_document(const std::string& content) {
  Document document;
  std::string key;
  const auto keep = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) key = parsed.get<std::string>();
    if (depth == 1 && event == json::parse_event_t::object_end && key == "config") {
      document.config = parsed;
    }
    if (depth == 2 && event == json::parse_event_t::object_end && key == "results") {
      document.results.push_back(parsed);
    }
    const bool ended = event == json::parse_event_t::value ||
                       event == json::parse_event_t::array_end ||
                       event == json::parse_event_t::object_end;
    if (depth == 1 && ended && key != "config" && key != "results") document.top[key] = parsed;
    return true;
  };
  try {
    document.whole = !json::parse(content, keep).is_discarded();
  } catch (const json::parse_error& error) {
    document.cut_off = error.what();
  }
  return document;
}

class JsonReader {
 public:
  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  PrintedLog read(const std::string& content) {
    const Document document = read_document(content);
    if (!document.whole) {
      log_.left_out.push_back(fmt::format("{}: the JSON is cut off ({})", file_, document.cut_off));
    }
    place_ = file_;
    if (document.top.contains("args")) arguments(document.top["args"]);
    run_.nccl_version = nccl_version_text(document.top.value("nccl_version", std::int64_t{0}));
    config(document.config);
    for (std::size_t i = 0; i < document.results.size(); ++i) {
      place_ = fmt::format("{}:results[{}]", file_, i);
      result(document.results[i]);
    }
    place_ = file_;
    if (document.top.contains("out_of_bounds")) {
      run_.out_of_bounds = whole(document.top["out_of_bounds"], "count");
    }
    log_.runs.push_back(std::move(run_));
    return std::move(log_);
  }

 private:
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const {
    throw DataError(fmt::format("{}:{}: {}", place_, key, why));
  }
  void leave_out(std::string_view key, const std::string& why) {
    log_.left_out.push_back(fmt::format("{}:{}: {}", place_, key, why));
  }

  const json& member(const json& object, std::string_view key) const {
    const auto found = object.find(key);
    if (found == object.end()) refuse(key, "is missing");
    return *found;
  }
  std::int64_t whole(const json& object, std::string_view key) const {
    const json& value = member(object, key);
    if (!value.is_number_integer()) refuse(key, value.dump() + " is not a whole number");
    return value.get<std::int64_t>();
  }
  std::string text(const json& object, std::string_view key) const {
    const json& value = member(object, key);
    if (!value.is_string()) refuse(key, value.dump() + " is not a text");
    return value.get<std::string>();
  }
  /// Written with six decimals.
  Printed number(const json& object, std::string_view key) const {
    const json& value = member(object, key);
    if (!value.is_number() || value.get<double>() < 0.0) {
      refuse(key, value.dump() + " is not a number of 0 or more");
    }
    return {value.get<double>(), 0.5e-6};
  }

  void arguments(const json& args) const {
    if (!args.is_array() || args.empty() || !args[0].is_string()) return;
    const std::filesystem::path program(args[0].get<std::string>());
    if (program.filename().string().find("all_reduce_perf") == std::string::npos) {
      refuse("args", fmt::format("'{}' is not all_reduce_perf", program.filename().string()));
    }
  }

  void config(const json& config) {
    if (config.empty()) refuse("config", "is missing");
    run_.iterations = whole(config, "iterations");
    run_.graph = whole(config, "graph") > 0;
    const json& devices = member(config, "devices");
    for (const json& device : devices) {
      run_.hosts.insert(text(device, "hostname"));
      if (run_.gpu.empty()) run_.gpu = text(device, "device_info");
    }
    // It lists the first device of each process.
    run_.devices = static_cast<std::int64_t>(devices.size()) * whole(config, "nthreads") *
                   whole(config, "ngpus");
  }

  void result(const json& result) {
    const std::int64_t size = whole(result, "size");
    const std::string type = text(result, "type");
    const std::string reduction = text(result, "redop");
    const auto dtype = nccl_dtype(type);
    if (!dtype) {
      return leave_out("type", fmt::format("'{}' is none of float half bfloat16", type));
    }
    if (reduction != "sum") return leave_out("redop", fmt::format("'{}' is not sum", reduction));
    if (whole(result, "count") * element_bytes(*dtype) != size) {
      refuse("count",
             fmt::format("{} elements of {} are not {} bytes", whole(result, "count"), type, size));
    }
    if (size == 0) return;
    PrintedLine line{place_, *dtype, size, {}};
    for (const bool in_place : {false, true}) {
      const json& timed = member(result, in_place ? "in_place" : "out_of_place");
      if (timed.is_null()) continue;
      if (timed.contains("cpu_time")) {
        refuse("cpu_time", "these are the host's times (-C), not the GPU's");
      }
      PrintedTime time{in_place, number(timed, "time"), number(timed, "alg_bw"),
                       number(timed, "bus_bw"), -1};
      if (!member(timed, "nwrong").is_null()) {
        time.wrong = static_cast<std::int64_t>(number(timed, "nwrong").value);
      }
      line.times.push_back(time);
    }
    run_.lines.push_back(std::move(line));
  }

  std::string file_;
  std::string place_;
  PrintedRun run_;
  PrintedLog log_;
};

}  // namespace

PrintedLog read_nccl_tests_json(const std::filesystem::path& file, const std::string& content) {
  return JsonReader(file.string()).read(content);
}

}  // namespace stepcast
