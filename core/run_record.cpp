// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/run_record.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/error.hpp"

namespace stepcast {

using nlohmann::json;

json read_runs(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (!std::filesystem::exists(file)) {
    return json{{"schema", kRunSchema}, {"runs", json::array()}};
  }
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw DataError(name + ": cannot be opened");
  json content;
  try {
    content = json::parse(in);
  } catch (const json::exception& error) {
    throw DataError(name + ": is not JSON: " + error.what());
  }
  if (!content.is_object() || !content.contains("schema") ||
      !content["schema"].is_number_integer() || content["schema"] < 1) {
    throw DataError(name + ": 'schema' is not a whole number above 0");
  }
  if (content["schema"] > kRunSchema) {
    throw DataError(name + ": run schema " + content["schema"].dump() +
                    " is newer than this program, which reads up to " + std::to_string(kRunSchema));
  }
  if (!content.contains("runs") || !content["runs"].is_array()) {
    throw DataError(name + ": 'runs' is not a list");
  }
  for (const json& run : content["runs"]) {
    if (!run.is_object() || !run.contains("id") || !run["id"].is_string()) {
      throw DataError(name + ": a run has no 'id'");
    }
  }
  return content;
}

void write_run(const std::filesystem::path& file, const json& run) {
  const std::string name = file.string();
  if (!run.is_object() || !run.contains("id") || !run["id"].is_string()) {
    throw DataError(name + ": the run to write has no 'id'");
  }
  json content = read_runs(file);
  bool replaced = false;
  for (json& known : content["runs"]) {
    if (known["id"] == run["id"]) {
      known = run;
      replaced = true;
    }
  }
  if (!replaced) content["runs"].push_back(run);
  content["schema"] = kRunSchema;

  std::filesystem::path beside = file;
  beside += "." + std::to_string(::getpid()) + ".tmp";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    // A host's or a library's text may hold bytes that are not UTF-8.
    out << content.dump(2, ' ', false, json::error_handler_t::replace) << '\n' << std::flush;
    if (!out) throw DataError(beside.string() + ": cannot be written; is the disk full?");
  }
  std::error_code error;
  std::filesystem::rename(beside, file, error);
  if (error) throw DataError(name + ": cannot be replaced: " + error.message());
}

std::string new_run_id() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "r%Y%m%dT%H%M%SZ", &utc);
  std::string id = std::string(text.data(), size) + "-" + std::to_string(::getpid());
  // One process may make several within a second.
  static std::atomic<int> made = 0;
  if (const int number = ++made; number > 1) id += "-" + std::to_string(number);
  return id;
}

}  // namespace stepcast
