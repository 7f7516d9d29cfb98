// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/google_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

constexpr std::string_view kMedian = "_median";

/// One line of the file, of either format.
struct Entry {
  std::string place;
  std::string name;
  bool median = false;  // of repetitions
  double seconds = 0;
  std::int64_t iterations = 0;
  std::string error;
};

double unit_of(const std::string& place, std::string_view text) {
  if (text == "ns") return 1e-9;
  if (text == "us") return 1e-6;
  if (text == "ms") return 1e-3;
  if (text == "s") return 1.0;
  throw DataError(fmt::format("{}:time_unit: '{}' is none of ns us ms s", place, text));
}

double positive(const std::string& place, const std::string& column, std::optional<double> value) {
  if (value && *value > 0.0) return *value;
  throw DataError(fmt::format("{}:{}: is not a number above 0", place, column));
}

bool has_unit(const std::string& time) { return time == "real_time" || time == "cpu_time"; }

/// Gathers repetitions; their median counts where they themselves were not written.
std::vector<BenchmarkTimes> gathered(const std::vector<Entry>& entries) {
  std::vector<BenchmarkTimes> benchmarks;
  for (const bool medians : {false, true}) {
    std::vector<std::string> complete;  // of the pass before
    complete.reserve(benchmarks.size());
    for (const BenchmarkTimes& benchmark : benchmarks) complete.push_back(benchmark.name);
    for (const Entry& entry : entries) {
      const bool known = std::find(complete.begin(), complete.end(), entry.name) != complete.end();
      if (entry.median != medians || known) continue;
      auto place = std::find_if(
          benchmarks.begin(), benchmarks.end(),
          [&entry](const BenchmarkTimes& benchmark) { return benchmark.name == entry.name; });
      if (place == benchmarks.end()) {
        place = benchmarks.insert(benchmarks.end(), {entry.name, {}, entry.iterations, {}});
      }
      if (entry.error.empty()) place->seconds.push_back(entry.seconds);
      if (place->error.empty()) place->error = entry.error;
    }
  }
  return benchmarks;
}

std::string text_or(const json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

std::optional<Entry> json_entry(const json& one, std::string place, const std::string& time) {
  Entry entry;
  entry.place = std::move(place);
  const std::string name = text_or(one, "name", "");
  if (name.empty()) throw DataError(entry.place + ":name: is missing");
  entry.name = text_or(one, "run_name", name);
  if (text_or(one, "run_type", "iteration") == "aggregate") {
    if (text_or(one, "aggregate_name", "") != "median") return std::nullopt;
    entry.median = true;
  }
  if (one.value("error_occurred", false) || one.value("skipped", false)) {
    entry.error = text_or(one, "error_message", text_or(one, "skip_message", "skipped"));
    if (entry.error.empty()) entry.error = "skipped";
    return entry;
  }
  const auto found = one.find(time);
  std::optional<double> value;
  if (found != one.end() && found->is_number()) value = found->get<double>();
  entry.seconds = positive(entry.place, time, value);
  if (has_unit(time)) entry.seconds *= unit_of(entry.place, text_or(one, "time_unit", "ns"));
  const auto iterations = one.find("iterations");
  if (iterations != one.end() && iterations->is_number_integer() && !entry.median) {
    entry.iterations = iterations->get<std::int64_t>();
  }
  return entry;
}

BenchmarkFile read_json(const std::string& file, const std::string& content,
                        const std::string& time) {
  json document;
  try {
    document = json::parse(content);
  } catch (const json::parse_error& error) {
    throw DataError(fmt::format("{}: is not whole JSON: {}", file, error.what()));
  }
  const auto list = document.find("benchmarks");
  if (list == document.end() || !list->is_array()) {
    throw DataError(file + ": benchmarks: is missing; this is not Google Benchmark's JSON");
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto entry = json_entry((*list)[i], fmt::format("{}:benchmarks[{}]", file, i), time);
    if (entry) entries.push_back(*entry);
  }
  return {text_or(document.value("context", json::object()), "executable", ""), gathered(entries)};
}

constexpr std::string_view kHeader = "name,iterations,real_time,cpu_time,time_unit";

/// The commas of a line that separate cells.
std::size_t commas(std::string_view line) {
  bool quoted = false;
  std::size_t count = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++count;
  }
  return count;
}

/// The output as CSV has it: what stands before the header as comments, and the cells that a
/// benchmark with an error leaves out.
std::string regular_csv(std::string_view content) {
  std::string regular;
  std::size_t columns = 0;
  for (const std::string_view part : split(content, '\n')) {
    const std::string_view line = trimmed(part);
    if (columns == 0 && line.starts_with(kHeader)) columns = commas(line);
    regular += columns == 0 ? "#" : line;
    const std::size_t cells = line.empty() ? columns : commas(line);
    if (columns > cells) regular.append(columns - cells, ',');
    regular += '\n';
  }
  return regular;
}

/// name,iterations,real_time,cpu_time,time_unit,...,error_occurred,error_message,"counter",...
BenchmarkFile read_csv_output(const std::filesystem::path& file, const std::string& content,
                              const std::string& time) {
  CsvSchema schema{"", 1, {"name", "iterations", "time_unit", "error_occurred", "error_message"}};
  schema.columns.emplace_back(time);
  std::vector<Entry> entries;
  for (const CsvRow& row : read_csv_text(file.string(), regular_csv(content), schema)) {
    Entry entry;
    entry.place = row.place("name");
    entry.place.resize(entry.place.rfind(':'));
    entry.name = row.text("name");
    if (entry.name.ends_with(kMedian)) {
      entry.median = true;
      entry.name.resize(entry.name.size() - kMedian.size());
    }
    const bool statistic = entry.name.ends_with("_mean") || entry.name.ends_with("_stddev") ||
                           entry.name.ends_with("_cv");
    if (statistic && !entry.median) continue;
    if (row.text("error_occurred") == "true") {
      entry.error = row.text("error_message").empty() ? "skipped" : row.text("error_message");
    } else {
      entry.seconds = positive(entry.place, time, parse_number(row.text(time)));
      if (has_unit(time)) entry.seconds *= unit_of(entry.place, row.text("time_unit"));
      if (!entry.median) entry.iterations = parse_integer(row.text("iterations")).value_or(0);
    }
    entries.push_back(entry);
  }
  return {"", gathered(entries)};
}

}  // namespace

BenchmarkFile read_google_benchmark(const std::filesystem::path& file, const std::string& time) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw DataError(file.string() + ": cannot be opened");
  }
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && content[first] == '{') {
    return read_json(file.string(), content, time);
  }
  if (content.starts_with(kHeader) || content.find('\n' + std::string(kHeader)) != content.npos) {
    return read_csv_output(file, content, time);
  }
  throw DataError(file.string() + ":1: is neither JSON nor CSV of Google Benchmark");
}

}  // namespace stepcast
