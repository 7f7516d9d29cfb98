// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the text and the JSON of nccl-tests have in common: a run's facts and times as they stand
// there, checked and made into rows.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "comm/nccl_tests_log.hpp"
#include "core/dtype.hpp"

namespace stepcast {

/// A number as it was printed: its rounding is half a unit of the last digit.
struct Printed {
  double value = 0;
  double rounding = 0;
};

/// nullopt where the text is not a number of 0 or more.
std::optional<Printed> printed(std::string_view text);

struct PrintedTime {
  bool in_place = false;
  Printed time_us, algbw, busbw;  // GB/s
  std::int64_t wrong = -1;        // elements; -1 where they were not counted
};

struct PrintedLine {
  std::string place;  // file:line, or file:results[3]
  DType dtype = DType::fp32;
  std::int64_t payload = 0;
  std::vector<PrintedTime> times;
};

/// A run, as a log states it.
struct PrintedRun {
  std::string version;       // of nccl-tests
  std::string nccl_version;  // 2.28.3
  std::string gpu;
  std::set<std::string> hosts;
  std::int64_t devices = 0;                  // that are listed, each a rank
  std::optional<std::int64_t> ranks, nodes;  // stated in words
  std::int64_t iterations = 0;
  std::int64_t out_of_bounds = 0;
  bool graph = false;
  std::vector<PrintedLine> lines;
};

/// float, half or bfloat16; nullopt for others.
std::optional<DType> nccl_dtype(std::string_view name);

/// "2.28.3" of 22803; empty for what is no version.
std::string nccl_version_text(std::int64_t code);

/// Errors: DataError as read_nccl_tests_log() has it.
NcclTestsTable make_table(const PrintedRun& run, const std::filesystem::path& file,
                          const NcclTestsContext& context);

/// The runs of a log's text, or of the JSON that -J writes, and what of it is no part of them.
struct PrintedLog {
  std::vector<PrintedRun> runs;
  std::vector<std::string> left_out;
};
PrintedLog read_nccl_tests_text(const std::filesystem::path& file, const std::string& content);
PrintedLog read_nccl_tests_json(const std::filesystem::path& file, const std::string& content);

}  // namespace stepcast
