// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/comm_options.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;

CommOptions parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "stepcast-comm");
  return parse_comm_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommOptions, DefaultsArePowersOfTwoInFp32BothPlacements) {
  const CommOptions options = parse({});
  ASSERT_EQ(options.sizes.size(), 21U);  // 2^10 to 2^30
  EXPECT_EQ(options.sizes.front(), 1024);
  EXPECT_EQ(options.sizes.back(), 1073741824);
  EXPECT_EQ(options.dtypes, std::vector<DType>{DType::fp32});
  EXPECT_EQ(allreduce_cases(options, {}).size(), 42U);
}

TEST(CommOptions, ListsTakeCommas) {
  const CommOptions options =
      parse({"--buckets", "resnet152,vit_b_16", "--bytes=8,4", "--dtypes", "bf16,fp16",
             "--placement", "in", "--cap-mib", "35", "--iterations", "7"});
  EXPECT_EQ(options.models, (std::vector<std::string>{"resnet152", "vit_b_16"}));
  EXPECT_EQ(options.sizes, (std::vector<std::int64_t>{8, 4}));
  EXPECT_EQ(options.dtypes, (std::vector<DType>{DType::bf16, DType::fp16}));
  EXPECT_EQ(options.placements, std::vector<bool>{true});
  EXPECT_EQ(options.cap, mib(35));
  EXPECT_EQ(options.protocol.iterations, 7);
}

TEST(CommOptions, GoogleBenchmarksFlagsAreLeftToIt) {
  const CommOptions options = parse({"--benchmark_filter=fp32", "--progress", "--v=1"});
  EXPECT_TRUE(options.progress);
  EXPECT_EQ(options.others, (std::vector<std::string>{"--benchmark_filter=fp32", "--v=1"}));
}

TEST(CommOptions, BadValuesAreRefusedByOption) {
  EXPECT_EQ(error_of<UsageError>([] {
              (void)parse({"--bytes", "x"});
            }),
            "--bytes: 'x' is not above 0");
  EXPECT_EQ(error_of<UsageError>([] {
              (void)parse({"--bytes", "0"});
            }),
            "--bytes: '0' is not above 0");
  EXPECT_EQ(error_of<UsageError>([] {
              (void)parse({"--cap-mib", "-1"});
            }),
            "--cap-mib: '-1' is not above 0");
  EXPECT_EQ(error_of<UsageError>([] {
              (void)parse({"--iterations", "401"});
            }),
            "--iterations: '401' is not 1 to 400");
  EXPECT_EQ(error_of<UsageError>([] {
              (void)parse({"--dtypes", "fp32,fp8"});
            }),
            "--dtypes: 'fp8' is none of fp32 fp16 bf16");
  EXPECT_EQ(error_of<UsageError>([] {
              (void)parse({"--placement", "up"});
            }),
            "--placement: 'up' is none of in out");
}

TEST(CommOptions, CasesAscendOnceEachAndBucketsOfHalfTypesAreHalf) {
  const CommOptions options =
      parse({"--bytes", "4096,1024,4096", "--dtypes", "fp32,bf16", "--placement", "in"});
  std::vector<std::string> names;
  for (const AllreduceCase& one : allreduce_cases(options, {4096, 2052000})) {
    names.push_back(case_name(one));
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "allreduce/fp32/1024/in_place", "allreduce/fp32/4096/in_place",
                       "allreduce/fp32/2052000/in_place", "allreduce/bf16/1024/in_place",
                       "allreduce/bf16/2048/in_place", "allreduce/bf16/4096/in_place",
                       "allreduce/bf16/1026000/in_place"}));
}

TEST(CommOptions, SizeThatCutsAnElementIsRefused) {
  const CommOptions options = parse({"--bytes", "6", "--dtypes", "fp16,fp32"});
  EXPECT_EQ(error_of<UsageError>([&] { (void)allreduce_cases(options, {}); }),
            "--bytes: 6 is no whole number of fp32 elements");
}

TEST(CommOptions, OnlyATrueListFlagListsOnly) {
  EXPECT_TRUE(lists_only({"--benchmark_list_tests"}));
  EXPECT_TRUE(lists_only({"--v=1", "--benchmark_list_tests=true"}));
  EXPECT_FALSE(lists_only({"--benchmark_list_tests=false"}));
  EXPECT_FALSE(lists_only({"--benchmark_filter=list"}));
}

}  // namespace
}  // namespace stepcast
