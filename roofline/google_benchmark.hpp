// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a program of Google Benchmark wrote.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stepcast {

/// One benchmark of a file, under its name without repetitions and statistics.
struct BenchmarkTimes {
  std::string name;
  std::vector<double> seconds;  // one a repetition; the median alone where only that was written
  std::int64_t iterations = 0;  // of a repetition, of which its time is the mean
  std::string error;            // what SkipWithError said; empty where it ran
};

struct BenchmarkFile {
  std::string executable;  // empty where the file does not say
  std::vector<BenchmarkTimes> benchmarks;
};

/// Reads --benchmark_out's JSON or CSV. `time` is real_time (where a program times by itself, that
/// is its time), cpu_time, or a counter, which is taken to be in seconds.
/// Errors: DataError `file:line:column` or `file:benchmarks[3]:key`: no JSON and no such CSV, a
///         time that is not there, is no number or is not above 0, a unit that is not known.
/// Source: Google Benchmark, docs/user_guide.md, "Output Formats".
BenchmarkFile read_google_benchmark(const std::filesystem::path& file, const std::string& time);

}  // namespace stepcast
