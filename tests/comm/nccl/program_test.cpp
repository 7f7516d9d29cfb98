// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// The built stepcast-comm, run without a GPU.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::content_of;

struct Result {
  std::string text;
  int code = -1;
};

Result run(const std::string& arguments, const std::string& environment = "") {
  // A test may itself run under a launcher.
  const std::string command = "env -u WORLD_SIZE -u SLURM_NTASKS -u OMPI_COMM_WORLD_SIZE " +
                              environment + " CUDA_VISIBLE_DEVICES= " STEPCAST_COMM " " +
                              arguments + " 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  Result result;
  std::array<char, 4096> block{};
  for (std::size_t size = 0; (size = std::fread(block.data(), 1, block.size(), pipe)) > 0;) {
    result.text.append(block.data(), size);
  }
  const int status = ::pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

TEST(CommProgram, ListsNamesWithoutAGpu) {
  const Result result =
      run("--benchmark_list_tests --bytes 1024,2048 --dtypes fp32,bf16 --iterations 20");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.text, content_of(STEPCAST_SOURCE_DIR "/tests/golden/comm_list.txt"));
}

TEST(CommProgram, FilterNarrowsTheList) {
  EXPECT_EQ(run("--benchmark_list_tests --buckets vit_b_16 --benchmark_filter=/28351488/in").text,
            "allreduce/fp32/28351488/in_place/iterations:50/manual_time\n");
}

TEST(CommProgram, HelpShowsOurFlagsThenGoogleBenchmarks) {
  const Result result = run("--help");
  EXPECT_EQ(result.code, 0);
  const std::size_t ours = result.text.find("--buckets");
  const std::size_t theirs = result.text.find("[--benchmark_filter=<regex>]");
  EXPECT_NE(theirs, std::string::npos);
  EXPECT_LT(ours, theirs);
}

TEST(CommProgram, ExitCodesTellWhoseErrorItIs) {
  EXPECT_EQ(run("--nonsense").code, 2);
  EXPECT_EQ(run("--nonsense").text, "stepcast-comm: --nonsense: there is no such option\n");
  EXPECT_EQ(run("--buckets lenet").code, 2);
  EXPECT_EQ(run("--benchmark_list_tests", "WORLD_SIZE=2").code, 2);
  const Result no_gpu = run("--bytes 1024");
  EXPECT_EQ(no_gpu.code, 4);
  EXPECT_NE(no_gpu.text.find("counting the GPUs that are visible: CUDA, "), std::string::npos);
}

}  // namespace
}  // namespace stepcast
