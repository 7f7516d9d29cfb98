// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
// The commands that need no profile, and what goes wrong: run as a user runs them.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <CLI/Version.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/core/temporary_folder.hpp"
#include "tests/roofline/mini_profile.hpp"
#include "tests/roofline/program.hpp"

namespace stepcast::testing {
namespace {

namespace fs = std::filesystem;

class CommandTest : public ::testing::Test {
 protected:
  CommandTest() : folder_(test_folder()) {}

  ProgramResult run(const std::string& arguments) { return run_stepcast(arguments, folder_); }

  void expect_error(const std::string& arguments, int code, const std::string& begin) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.code, code) << arguments;
    EXPECT_EQ(result.error.substr(0, begin.size()), begin) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }

  fs::path folder_;
};

/// The options in a help text: its words that begin with "--".
std::set<std::string> options_in(const std::string& help) {
  std::istringstream words(help);
  std::set<std::string> options;
  for (std::string word; words >> word;) {
    const auto dashes = word.find("--");
    if (dashes != std::string::npos) options.insert(word.substr(dashes));
  }
  return options;
}

TEST_F(CommandTest, HelpIsTheGoldenText) {
  for (const std::string command :
       {"", "predict", "measure", "import", "import nccl-tests", "import google-benchmark", "list",
        "list buckets", "validate", "validate allreduce"}) {
    std::string name = "help " + command;
    std::replace(name.begin(), name.end(), ' ', '_');
    const ProgramResult result = run(command + " --help");
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_NE(result.out.find("Example"), std::string::npos) << command;
    if (std::string(CLI11_VERSION) == "2.1.2") {
      expect_golden(name + ".txt", result.out);
    } else {  // another version sets the same options in other columns
      EXPECT_EQ(options_in(result.out), options_in(golden(name + ".txt"))) << command;
    }
  }
}

TEST_F(CommandTest, VersionIsNameAndNumber) {
  const ProgramResult result = run("--version");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "stepcast " STEPCAST_VERSION "\n");
}

TEST_F(CommandTest, ValidateAllreducePrintsTheTableOfTheDocs) {
  const ProgramResult result = run("validate allreduce");
  ASSERT_EQ(result.code, 0) << result.error;
  const std::string docs = content_of(fs::path(STEPCAST_DOCS_DIR) / "validation.md");
  // All but the line that names the file.
  EXPECT_NE(docs.find(result.out.substr(0, result.out.find("logs: "))), std::string::npos)
      << "docs/validation.md is not current:\n"
      << result.out;
}

TEST_F(CommandTest, ListBucketsPrintsTheGoldenCsv) {
  const ProgramResult result = run("list buckets --model resnet152 --format csv");
  EXPECT_EQ(result.code, 0) << result.error;
  expect_golden("list_buckets.csv", rounded_csv(result.out));
}

TEST_F(CommandTest, ListModelsPrintsTheGoldenTable) {
  const ProgramResult result = run("list models");
  EXPECT_EQ(result.code, 0) << result.error;
  expect_golden("list_models.txt", result.out);
}

TEST_F(CommandTest, ListLayersAndOpsAccountForTheSameWork) {
  const std::string of = " --model resnet18 --batch 16 --format json";
  const auto layers = nlohmann::json::parse(run("list layers" + of).out);
  const auto ops = nlohmann::json::parse(run("list ops" + of).out);
  double layer_gflop = 0, op_gflop = 0;
  for (const auto& row : layers) layer_gflop += row["gflop"].get<double>();
  for (const auto& row : ops) op_gflop += row["count"].get<double>() * row["gflop"].get<double>();
  EXPECT_GT(layer_gflop, 0);
  EXPECT_NEAR(layer_gflop, op_gflop, 1e-9 * op_gflop);
}

TEST_F(CommandTest, ListGpusKnowsTheH200) {
  const auto gpus = nlohmann::json::parse(run("list gpus --format json").out);
  bool found = false;
  for (const auto& gpu : gpus) {
    if (gpu["reported_name"] != "NVIDIA H200") continue;
    found = true;
    EXPECT_EQ(gpu["sm_count"], 132);
    EXPECT_NEAR(gpu["memory_gb_per_s"], 4800, 100);  // NVIDIA's data sheet: 4.8 TB/s
  }
  EXPECT_TRUE(found);
}

TEST_F(CommandTest, AWrongCommandLineIsExitCodeTwoAndNamesTheOption) {
  expect_error("predict x", 2, "--model");
  expect_error("predict x --model resnet999", 2, "--model: 'resnet999' is none of resnet18");
  expect_error("predict x --model resnet18 --precision fp13", 2, "--precision: 'fp13' is none of");
  expect_error("predict x --model resnet18 --batch many", 2,
               "--batch: 'many' is not a whole number");
  expect_error("predict x --model resnet18 --ranks 1,0", 2, "--ranks: '0'");
  // CLI11 reads 016 as 14.
  expect_error("predict x --model resnet18 --batch 016", 2, "--batch: '016' begins with 0");
  expect_error("predict x --model resnet18 --batch 1000001", 2,
               "--batch: '1000001' is above 1000000");
  expect_error("list ops --model resnet18 --image-size 9999999999", 2,
               "--image-size: '9999999999' is above 8192");
  expect_error("predict x --model resnet18 --allreduce-ranks 2", 2, "--allreduce-ranks: ");
  expect_error("predict '' --model resnet18", 2, "PROFILE: is empty");
  expect_error("predict x --model resnet18 --allreduce ''", 2, "--allreduce: is empty");
  expect_error("predict x --model resnet18 --layout ''", 2, "--layout: is empty");
  expect_error("measure --out ''", 2, "--out: is empty");
  expect_error("predict x --model resnet18 --format xml", 2, "--format: 'xml' is none of");
  expect_error("predict x --model resnet18 --order random", 2, "--order: 'random' is none of");
  expect_error("predict x --model resnet18 --ranks 3", 2,
               "--batch: 128 images do not divide over 3");
  expect_error("predict x --model resnet18 --global-batch 10 --ranks 4", 2,
               "--global-batch: 10 images");
  expect_error("predict x --model resnet18 --no-ddp --ranks 2", 2, "--no-ddp: 2 ranks need DDP");
  expect_error("predict x --model resnet18 --colour", 2, "--colour: ");
  expect_error("list buckets --model resnet18 --cap -1", 2, "--cap: '-1' is not a number above 0");
  expect_error("forecast", 2, "forecast: no such command");
  expect_error("", 2, "stepcast: a command is missing");
}

TEST_F(CommandTest, WrongDataIsExitCodeThreeAndNamesTheFile) {
  expect_error("predict nowhere/mine --model resnet18", 3, "nowhere/mine: no such profile folder");
  expect_error("list ops --model vit_b_16 --image-size 225", 3, "image size 225");
  write_mini_profile(folder_ / "mini");
  expect_error("predict mini --model resnet18 --allreduce absent.csv", 3,
               "absent.csv: no such file");
  expect_error("import nccl-tests absent.log --out mini", 3, "absent.log");
}

TEST_F(CommandTest, WhatTheSystemRefusesIsExitCodeThreeToo) {
  const std::string name(300, 'a');
  expect_error("predict " + name + " --model resnet18", 3, name + ": ");
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const std::string command : {"list models", "list ops --model resnet18"}) {
    const int status =
        std::system(("'" STEPCAST_PROGRAM "' " + command + " >/dev/full 2>/dev/null").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3) << command;
  }
}

TEST_F(CommandTest, AFileOfANewerSchemaIsRefusedByName) {
  write_mini_profile(folder_ / "mini");
  std::ofstream(folder_ / "mini" / "ops.csv") << "# stepcast ops schema 99\nkey\n";
  const ProgramResult result = run("predict mini --model resnet18");
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.error.find("ops.csv"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("99"), std::string::npos) << result.error;
}

TEST_F(CommandTest, ACellThatIsNoNumberIsNamedByRowAndColumn) {
  write_run_record(folder_ / "mini");
  write_ops(folder_ / "mini", {op_row("copy/native/fp32/flat/e5", "hot", 123.5)});
  std::ifstream in(folder_ / "mini" / "ops.csv");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.replace(text.find("123.5"), 5, "fast!");
  std::ofstream(folder_ / "mini" / "ops.csv") << text;
  expect_error("predict mini --model resnet18", 3, "mini/ops.csv:3:median_s: ");
}

TEST_F(CommandTest, MeasureWithoutTheGpuHalfSaysHowToBuildIt) {
  if (fs::exists(fs::path(STEPCAST_PROGRAM).parent_path() / "stepcast-bench")) {
    GTEST_SKIP() << "this build has the GPU half";
  }
  const ProgramResult result = run_stepcast("measure --out mine", folder_);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.error.rfind("stepcast-bench: neither beside ", 0), 0U) << result.error;
  EXPECT_FALSE(fs::exists(folder_ / "mine"));
}

/// A program that writes its arguments into <name>.txt and ends with this code.
void write_stand_in(const fs::path& folder, const std::string& name, int code) {
  const fs::path file = folder / name;
  std::ofstream(file) << "#!/bin/sh\necho \"$@\" >" << name << ".txt\nexit " << code << "\n";
  fs::permissions(file, fs::perms::owner_all);
}

TEST_F(CommandTest, MeasureStartsBothProgramsAndPassesOnTheirExitCode) {
  if (fs::exists(fs::path(STEPCAST_PROGRAM).parent_path() / "stepcast-bench")) {
    GTEST_SKIP() << "this build has the GPU half, which is found first";
  }
  write_stand_in(folder_, "stepcast-bench", 0);
  write_stand_in(folder_, "stepcast-comm", 4);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  const ProgramResult result = run("measure --out mine --models resnet18 --quick --batches 32,16");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(result.code, 4) << result.error;
  const auto line = [this](const std::string& file) {
    std::string text;
    std::ifstream in(folder_ / file);
    std::getline(in, text);
    return text;
  };
  EXPECT_EQ(
      line("stepcast-bench.txt"),
      "--profile mine --progress --models resnet18 --precisions bf16 --layouts nhwc --batches "
      "32,16 --recipes eager --quick");
  EXPECT_EQ(line("stepcast-comm.txt"), "--profile mine --progress --buckets resnet18");
}

TEST_F(CommandTest, ImportAddsEachRowOnce) {
  write_mini_profile(folder_ / "mini", {.allreduce = false});
  std::ofstream(folder_ / "log.txt")
      << "  31502336  7875584  float  sum  -1  130.22  241.92  241.92  "
         "0  129.03  244.15  244.15  0\n";
  const std::string command = "import nccl-tests log.txt --out mini --ranks 2 --nodes 1";
  EXPECT_NE(run(command).out.find("2 rows added, 0 known already"), std::string::npos);
  EXPECT_NE(run(command).out.find("0 rows added, 2 known already"), std::string::npos);
  const ProgramResult result =
      run("predict mini --model resnet18 --image-size 64 --batch 32 --ranks 1,2 --format json");
  ASSERT_EQ(result.code, 0) << result.error;
  const auto output = nlohmann::json::parse(result.out);
  EXPECT_EQ(output["about"]["allreduce"], "nccl-tests");
  EXPECT_EQ(output["weak"][1]["step_origin"], "fitted");
}

}  // namespace
}  // namespace stepcast::testing
