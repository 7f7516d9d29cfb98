// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps that were really run, to stand beside predicted ones.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/csv.hpp"
#include "core/units.hpp"

namespace stepcast {

struct RealStep {
  std::string gpu, torch, cudnn;
  std::string model, precision, layout;
  std::int64_t batch = 0;  // images a rank
  std::int64_t ranks = 1;
  bool ddp = true;
  std::string mode;  // eager, or graph: captured as one CUDA graph, so without the host
  Seconds step;
  std::string source;
};

/// Columns of a file of real steps; `# stepcast steps schema 1`.
const CsvSchema& real_steps_schema();

/// Errors: DataError of read_csv, or a value out of its range (file:line:column).
std::vector<RealStep> read_real_steps(const std::filesystem::path& file);

/// Real steps that lie beside a profile: every file of that schema in ../../measured, seen from the
/// profile's folder, in the order of their names. None if there is no such folder.
std::vector<std::filesystem::path> real_step_files(const std::filesystem::path& profile);

/// The real step of a case; of several the last. Nothing if it was not run on this GPU.
class RealSteps {
 public:
  RealSteps(const std::vector<std::filesystem::path>& files, std::string_view gpu);

  struct Case {
    std::string_view model, precision, layout;
    std::int64_t batch, ranks;
    bool ddp;
  };
  [[nodiscard]] std::optional<RealStep> find(const Case& wanted, std::string_view mode) const;

 private:
  std::vector<RealStep> steps_;
};

}  // namespace stepcast
