// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/google_benchmark.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

/// As --benchmark_out_format=json writes it: two repetitions, their statistics, and a benchmark
/// that was skipped.
constexpr const char* kJson = R"({
  "context": {"executable": "./conv", "num_cpus": 2},
  "benchmarks": [
    {"name": "BM_a/64/repeats:2", "run_name": "BM_a/64/repeats:2", "run_type": "iteration",
     "iterations": 10, "real_time": 20.0, "cpu_time": 21.0, "time_unit": "us", "gpu_time": 1.5e-5},
    {"name": "BM_a/64/repeats:2", "run_name": "BM_a/64/repeats:2", "run_type": "iteration",
     "iterations": 10, "real_time": 22.0, "cpu_time": 23.0, "time_unit": "us", "gpu_time": 1.7e-5},
    {"name": "BM_a/64/repeats:2_median", "run_name": "BM_a/64/repeats:2", "run_type": "aggregate",
     "aggregate_name": "median", "iterations": 2, "real_time": 21.0, "cpu_time": 22.0,
     "time_unit": "us", "gpu_time": 1.6e-5},
    {"name": "BM_b_mean", "run_name": "BM_b", "run_type": "aggregate", "aggregate_name": "mean",
     "iterations": 3, "real_time": 9.0, "cpu_time": 9.0, "time_unit": "ms"},
    {"name": "BM_b_median", "run_name": "BM_b", "run_type": "aggregate",
     "aggregate_name": "median", "iterations": 3, "real_time": 8.0, "cpu_time": 8.5,
     "time_unit": "ms", "gpu_time": 7e-3},
    {"name": "BM_c", "run_name": "BM_c", "run_type": "iteration", "error_occurred": true,
     "error_message": "no such GPU", "iterations": 0, "real_time": 0, "cpu_time": 0,
     "time_unit": "ns"}
  ]})";

/// A benchmark with an error has no cells for the counters.
constexpr const char* kCsv =
    "2026-11-30T10:00:00+00:00\nRunning ./conv\nLoad Average: 0.41, 0.37, 0.30\n"
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
    "error_occurred,error_message,\"gpu_time\"\n"
    "\"BM_a/64\",10,20,21,us,,,,,,1.5e-05\n"
    "\"BM_a/64\",10,22,23,us,,,,,,1.7e-05\n"
    "\"BM_a/64_mean\",2,21,22,us,,,,,,1.6e-05\n"
    "\"BM_a/64_median\",2,21,22,us,,,,,,1.6e-05\n"
    "\"BM_b_median\",3,8,8.5,ms,,,,,,0.007\n"
    "\"BM_c\",,,,,,,,true,\"no such GPU, or none\"\n";

BenchmarkFile read(const std::string& content, const std::string& time = "real_time") {
  const TemporaryFolder folder;
  return read_google_benchmark(folder.file("a.out", content), time);
}

std::string refusal(const std::string& content, const std::string& time = "real_time") {
  const std::string text = error_of<DataError>([&] { (void)read(content, time); });
  return text.substr(std::min(text.find("a.out"), text.size()));
}

TEST(GoogleBenchmark, RepetitionsOfJsonAreGathered) {
  const BenchmarkFile file = read(kJson);
  EXPECT_EQ(file.executable, "./conv");
  ASSERT_EQ(file.benchmarks.size(), 3U);
  EXPECT_EQ(file.benchmarks[0].name, "BM_a/64/repeats:2");
  EXPECT_EQ(file.benchmarks[0].seconds, (std::vector{20.0 * 1e-6, 22.0 * 1e-6}));
  EXPECT_EQ(file.benchmarks[0].iterations, 10);
  EXPECT_EQ(file.benchmarks[1].name, "BM_c");
  EXPECT_EQ(file.benchmarks[1].error, "no such GPU");
  EXPECT_TRUE(file.benchmarks[1].seconds.empty());
  EXPECT_EQ(file.benchmarks[2].name, "BM_b");  // its median alone was written
  EXPECT_EQ(file.benchmarks[2].seconds, std::vector{8.0 * 1e-3});
}

TEST(GoogleBenchmark, RepetitionsOfCsvAreGathered) {
  const BenchmarkFile file = read(kCsv);
  ASSERT_EQ(file.benchmarks.size(), 3U);
  EXPECT_EQ(file.benchmarks[0].name, "BM_a/64");
  EXPECT_EQ(file.benchmarks[0].seconds, (std::vector{20.0 * 1e-6, 22.0 * 1e-6}));
  EXPECT_EQ(file.benchmarks[1].error, "no such GPU, or none");
  EXPECT_EQ(file.benchmarks[2].name, "BM_b");
  EXPECT_EQ(file.benchmarks[2].seconds, std::vector{8.0 * 1e-3});
}

TEST(GoogleBenchmark, OtherTimesAreTakenByTheirName) {
  for (const char* content : {kJson, kCsv}) {
    EXPECT_EQ(read(content, "gpu_time").benchmarks[0].seconds, (std::vector{1.5e-5, 1.7e-5}));
    EXPECT_EQ(read(content, "cpu_time").benchmarks[0].seconds,
              (std::vector{21.0 * 1e-6, 23.0 * 1e-6}));
  }
  EXPECT_EQ(refusal(kJson, "gpu"), "a.out:benchmarks[0]:gpu: is not a number above 0");
  EXPECT_NE(refusal(kCsv, "gpu").find("column 'gpu' is missing"), std::string::npos);
}

TEST(GoogleBenchmark, WhatCannotBeReadIsRefusedAtItsPlace) {
  EXPECT_NE(refusal("{\"benchmarks\": [").find("a.out: is not whole JSON"), std::string::npos);
  EXPECT_NE(refusal("{}").find("a.out: benchmarks: is missing"), std::string::npos);
  EXPECT_EQ(refusal("BM_a 12 us\n"), "a.out:1: is neither JSON nor CSV of Google Benchmark");
  EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "a", "real_time": 1, "time_unit": "h"}]})"),
            "a.out:benchmarks[0]:time_unit: 'h' is none of ns us ms s");
  EXPECT_EQ(refusal(R"({"benchmarks": [{"name": "a", "real_time": 0}]})"),
            "a.out:benchmarks[0]:real_time: is not a number above 0");
  EXPECT_EQ(refusal(R"({"benchmarks": [{"real_time": 1}]})"),
            "a.out:benchmarks[0]:name: is missing");
  std::string text(kCsv);
  text.replace(text.find(",22,"), 4, ",x,");
  EXPECT_EQ(refusal(text), "a.out:6:real_time: is not a number above 0");
  EXPECT_THROW((void)read_google_benchmark("no-such-file", "real_time"), DataError);
}

}  // namespace
}  // namespace stepcast
