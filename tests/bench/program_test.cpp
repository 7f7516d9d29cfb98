// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepcast {
namespace {

using testing::lines;
using testing::ProgramResult;
using testing::run_bench;

constexpr const char* kNoGpu = "CUDA_VISIBLE_DEVICES=";

TEST(BenchProgram, ListsNamesWithoutAGpu) {
  const ProgramResult result = run_bench(
      "--benchmark_list_tests --benchmark_filter='resnet152/layer3.*conv2.*fprop.*bf16.*nhwc'",
      kNoGpu);
  EXPECT_EQ(result.exit_code, 0);
  const auto names = lines(result.text);
  EXPECT_EQ(names.size(), 72U);  // 36 bottlenecks, two recipes
  EXPECT_EQ(names.front(),
            "resnet152/layer3.0.conv2/fprop/cudnn/bf16/nhwc/n128/iterations:1/manual_time");
}

TEST(BenchProgram, ListsBlocks) {
  const ProgramResult result = run_bench(
      "--models vit_b_16 --precisions bf16 --recipes eager --benchmark_list_tests "
      "--benchmark_filter='encoder[.][0-9]+/'",
      kNoGpu);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(lines(result.text).size(), 24U);  // 12 encoder blocks, forward and backward
}

TEST(BenchProgram, RunWithoutAGpuIsALibraryError) {
  const ProgramResult result =
      run_bench("--models resnet18 --benchmark_filter=layer1.0.conv1/fprop", kNoGpu);
  EXPECT_EQ(result.exit_code, 4) << result.text;
  EXPECT_EQ(lines(result.text).size(), 1U) << result.text;
  EXPECT_NE(result.text.find("CUDA"), std::string::npos) << result.text;
}

TEST(BenchProgram, WrongCommandLineIsAUsageError) {
  const ProgramResult unknown = run_bench("--frobnicate", kNoGpu);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.text.find("--frobnicate: no option of stepcast-bench"), std::string::npos)
      << unknown.text;
  EXPECT_EQ(run_bench("--models alexnet", kNoGpu).exit_code, 2);
  EXPECT_EQ(run_bench("--benchmark_filter=nowhere", kNoGpu).exit_code, 2);
}

TEST(BenchProgram, HelpShowsOwnAndGoogleBenchmarksOptions) {
  const ProgramResult result = run_bench("--help", kNoGpu);
  EXPECT_EQ(result.exit_code, 0);
  for (const char* option : {"--models", "--profile", "--benchmark_out=", "Examples:"}) {
    EXPECT_NE(result.text.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace stepcast
