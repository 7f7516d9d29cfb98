// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/options.hpp"

#include <gtest/gtest.h>

#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;

BenchOptions parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "stepcast-bench");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(BenchOptions, DefaultsAreTheTwoModelsInTwoPrecisions) {
  const BenchOptions options = parsed({});
  EXPECT_EQ(options.models, (std::vector<std::string>{"resnet152", "vit_b_16"}));
  EXPECT_EQ(options.precisions, (std::vector{DType::fp16, DType::bf16}));
  EXPECT_EQ(options.layouts, std::vector{Layout::nhwc});
  EXPECT_EQ(options.batches, std::vector<std::int64_t>{128});
  EXPECT_EQ(options.recipes, (std::vector{RecipeKind::eager, RecipeKind::fused}));
  EXPECT_TRUE(options.blocks && options.ddp && options.hold);
  EXPECT_FALSE(options.profile.has_value());
}

TEST(BenchOptions, ListsAreSeparatedByCommas) {
  const BenchOptions options =
      parsed({"--models", "resnet50,vit_l_16", "--precisions=tf32", "--batches", "16,64",
              "--layouts", "nchw,nhwc", "--recipes", "fused", "--no-blocks", "--no-ddp",
              "--no-hold", "--profile", "here"});
  EXPECT_EQ(options.models, (std::vector<std::string>{"resnet50", "vit_l_16"}));
  EXPECT_EQ(options.precisions, std::vector{DType::tf32});
  EXPECT_EQ(options.batches, (std::vector<std::int64_t>{16, 64}));
  EXPECT_EQ(options.layouts, (std::vector{Layout::nchw, Layout::nhwc}));
  EXPECT_EQ(options.recipes, std::vector{RecipeKind::fused});
  EXPECT_FALSE(options.blocks || options.ddp || options.hold);
  EXPECT_EQ(options.profile, std::filesystem::path("here"));
}

TEST(BenchOptions, PlansToAvoidAreKeysWithRanks) {
  const std::string key = "conv_wgrad/cudnn/fp16/nchw/n1c8h9w9k8r3s3u1p1";
  const std::string first = key + ":13";
  const std::string second = key + ":2";
  const BenchOptions options = parsed({"--avoid", first.c_str(), "--avoid", second.c_str()});
  EXPECT_EQ(options.avoided.at(key), (std::set<std::int64_t>{2, 13}));
  for (const std::string& wrong :
       {key, key + ":", key + ":x", key + ":-1", std::string("conv:1")}) {
    EXPECT_TRUE(error_of<UsageError>([&] {
                  parsed({"--avoid", wrong.c_str()});
                }).starts_with("--avoid: "))
        << wrong;
  }
}

TEST(BenchOptions, E4m3IsThereOnlyForWhoAsks) {
  EXPECT_EQ(parsed({"--precisions", "bf16,e4m3"}).precisions,
            (std::vector{DType::bf16, DType::e4m3}));
}

TEST(BenchOptions, OtherArgumentsAreLeftToGoogleBenchmark) {
  const BenchOptions options =
      parsed({"--benchmark_filter=conv2", "--quick", "--benchmark_repetitions=3"});
  EXPECT_TRUE(options.quick);
  EXPECT_EQ(options.others,
            (std::vector<std::string>{"--benchmark_filter=conv2", "--benchmark_repetitions=3"}));
}

TEST(BenchOptions, ErrorsBeginWithTheOptionAndListTheChoices) {
  EXPECT_EQ(error_of<UsageError>([] {
              parsed({"--precisions", "fp8"});
            }),
            "--precisions: 'fp8' is none of fp32 tf32 fp16 bf16 e4m3");
  EXPECT_EQ(error_of<UsageError>([] {
              parsed({"--layouts", "row"});
            }),
            "--layouts: 'row' is none of nchw nhwc");
  EXPECT_EQ(error_of<UsageError>([] {
              parsed({"--recipes", "lazy"});
            }),
            "--recipes: 'lazy' is none of eager fused");
  EXPECT_TRUE(error_of<UsageError>([] {
                parsed({"--models", "alexnet"});
              }).starts_with("--models: 'alexnet' is none of resnet"));
  EXPECT_TRUE(error_of<UsageError>([] { parsed({"--batches", "0"}); }).starts_with("--batches: "));
}

TEST(BenchOptions, WaysOfMeasuringAreRead) {
  const BenchOptions options = parsed({"--flush", "--samples", "30", "--no-verify", "--keys", "-",
                                       "--max-candidates", "3", "--workspace-mib", "0", "--quick"});
  EXPECT_TRUE(options.flush && options.quick);
  EXPECT_FALSE(options.verify);
  EXPECT_EQ(options.samples, 30);
  EXPECT_EQ(options.max_candidates, 3);
  EXPECT_EQ(options.workspace_mib, 0);
  EXPECT_EQ(options.keys, std::filesystem::path("-"));
}

TEST(BenchOptions, NumbersThatAreNoneAreRefusedInWords) {
  const auto refusal = [](std::vector<const char*> arguments) {
    return error_of<UsageError>([&] { parsed(arguments); });
  };
  EXPECT_EQ(refusal({"--samples", "0"}), "--samples: '0' is not a whole number above 0");
  EXPECT_EQ(refusal({"--max-candidates", "-1"}),
            "--max-candidates: '-1' is not a whole number above 0");
  EXPECT_EQ(refusal({"--batches", "16,0"}), "--batches: '0' is not a whole number above 0");
  EXPECT_EQ(refusal({"--device", "-1"}), "--device: '-1' is not a whole number");
  EXPECT_EQ(refusal({"--workspace-mib", "010"}), "--workspace-mib: '010' is not a whole number");
}

TEST(BenchOptions, ListingIsRecognisedInGoogleBenchmarksSpellings) {
  EXPECT_TRUE(wants_list({"--benchmark_list_tests"}));
  EXPECT_TRUE(wants_list({"--benchmark_filter=x", "--benchmark_list_tests=true"}));
  EXPECT_FALSE(wants_list({"--benchmark_list_tests=false"}));
  EXPECT_FALSE(wants_list({"--benchmark_list_testsuites"}));
  EXPECT_FALSE(wants_list({}));
}

TEST(BenchOptions, HelpNamesEveryOption) {
  const std::string help = help_text();
  for (const char* option : {"--models",
                             "--precisions",
                             "--layouts",
                             "--batches",
                             "--recipes",
                             "--image-size",
                             "--no-blocks",
                             "--no-ddp",
                             "--profile",
                             "--force",
                             "--progress",
                             "--quick",
                             "--device",
                             "--max-candidates",
                             "--workspace-mib",
                             "--no-hold",
                             "--benchmark_filter",
                             "--keys",
                             "--samples",
                             "--flush",
                             "--avoid",
                             "--no-verify"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace stepcast
