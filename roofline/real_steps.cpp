// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/real_steps.hpp"

#include <algorithm>
#include <fstream>

#include "core/error.hpp"

namespace stepcast {

namespace fs = std::filesystem;

const CsvSchema& real_steps_schema() {
  static const CsvSchema schema{
      "steps",
      1,
      {"gpu", "torch", "cudnn", "model", "precision", "layout", "batch", "ranks", "ddp", "mode",
       "step_ms", "step_p25_ms", "step_p75_ms", "wall_ms", "host_ms", "images_per_s", "memory_gib",
       "steps", "source"}};
  return schema;
}

namespace {

RealStep real_step(const CsvRow& row) {
  RealStep step{row.text("gpu"),
                row.text("torch"),
                row.text("cudnn"),
                row.text("model"),
                row.text("precision"),
                row.text("layout"),
                row.integer("batch"),
                row.integer("ranks"),
                row.integer("ddp") != 0,
                row.text("mode"),
                milliseconds(row.number("step_ms")),
                row.text("source")};
  if (step.mode != "eager" && step.mode != "graph") {
    throw DataError(row.place("mode") + ": '" + step.mode + "' is none of eager graph");
  }
  if (step.batch < 1) throw DataError(row.place("batch") + ": not positive");
  if (step.ranks < 1) throw DataError(row.place("ranks") + ": not positive");
  if (step.step <= Seconds(0)) throw DataError(row.place("step_ms") + ": not positive");
  return step;
}

bool has_steps_schema(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) && line.rfind("# stepcast steps schema", 0) == 0;
}

}  // namespace

std::vector<RealStep> read_real_steps(const fs::path& file) {
  std::vector<RealStep> steps;
  for (const CsvRow& row : read_csv(file, real_steps_schema())) steps.push_back(real_step(row));
  return steps;
}

std::vector<fs::path> real_step_files(const fs::path& profile) {
  std::vector<fs::path> files;
  const fs::path folder = fs::absolute(profile).lexically_normal() / ".." / ".." / "measured";
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder.lexically_normal(), absent)) {
    if (entry.path().extension() == ".csv" && has_steps_schema(entry.path())) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

RealSteps::RealSteps(const std::vector<fs::path>& files, std::string_view gpu) {
  for (const fs::path& file : files) {
    for (RealStep& step : read_real_steps(file)) {
      if (step.gpu == gpu) steps_.push_back(std::move(step));
    }
  }
}

std::optional<RealStep> RealSteps::find(const Case& wanted, std::string_view mode) const {
  const auto matches = [&](const RealStep& step) {
    return step.model == wanted.model && step.precision == wanted.precision &&
           step.layout == wanted.layout && step.batch == wanted.batch &&
           step.ranks == wanted.ranks && step.ddp == wanted.ddp && step.mode == mode;
  };
  const auto found = std::find_if(steps_.rbegin(), steps_.rend(), matches);
  if (found == steps_.rend()) return std::nullopt;
  return *found;
}

}  // namespace stepcast
