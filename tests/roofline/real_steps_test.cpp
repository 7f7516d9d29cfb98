// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/real_steps.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "tests/roofline/mini_profile.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead =
    "# stepcast steps schema 1\n"
    "gpu,torch,cudnn,model,precision,layout,batch,ranks,ddp,mode,step_ms,step_p25_ms,step_p75_ms,"
    "wall_ms,host_ms,images_per_s,memory_gib,steps,source\n";

fs::path write_steps(const fs::path& file, const std::string& rows) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << kHead << rows;
  return file;
}

constexpr RealSteps::Case kCase{"resnet18", "bf16", "nhwc", 32, 1, true};

TEST(RealSteps, ACaseIsFoundByItsModeAndGpu) {
  const fs::path file =
      write_steps(testing::test_folder() / "steps.csv",
                  "NVIDIA H200,2.11,,resnet18,bf16,nhwc,32,1,1,graph,5.5,,,,,,,25,here\n"
                  "NVIDIA H200,2.11,,resnet18,bf16,nhwc,32,1,0,graph,5,,,,,,,25,here\n"
                  "NVIDIA A100,2.11,,resnet18,bf16,nhwc,32,1,1,eager,9,,,,,,,25,here\n");
  const RealSteps steps({file}, "NVIDIA H200");
  ASSERT_TRUE(steps.find(kCase, "graph"));
  EXPECT_DOUBLE_EQ(steps.find(kCase, "graph")->step.count(), 5.5e-3);
  EXPECT_FALSE(steps.find(kCase, "eager"));
  RealSteps::Case plain = kCase;
  plain.ddp = false;
  EXPECT_DOUBLE_EQ(steps.find(plain, "graph")->step.count(), 5e-3);
}

TEST(RealSteps, OfSeveralTheLastCounts) {
  const fs::path file =
      write_steps(testing::test_folder() / "steps.csv",
                  "NVIDIA H200,2.11,,resnet18,bf16,nhwc,32,1,1,graph,5.5,,,,,,,25,first\n"
                  "NVIDIA H200,2.12,,resnet18,bf16,nhwc,32,1,1,graph,5.1,,,,,,,25,second\n");
  EXPECT_EQ(RealSteps({file}, "NVIDIA H200").find(kCase, "graph")->source, "second");
}

TEST(RealSteps, FilesOfThatSchemaBesideTheProfilesAreFound) {
  const fs::path folder = testing::test_folder();
  fs::create_directories(folder / "profiles" / "mini");
  write_steps(folder / "measured" / "b.csv", "");
  write_steps(folder / "measured" / "a.csv", "");
  std::ofstream(folder / "measured" / "other.csv") << "size,time\n";
  const std::vector<fs::path> expected{folder / "measured" / "a.csv",
                                       folder / "measured" / "b.csv"};
  EXPECT_EQ(real_step_files(folder / "profiles" / "mini"), expected);
  EXPECT_TRUE(real_step_files(folder).empty());
}

TEST(RealSteps, AModeThatIsNoneIsNamedWithItsPlace) {
  const fs::path file =
      write_steps(testing::test_folder() / "steps.csv",
                  "NVIDIA H200,2.11,,resnet18,bf16,nhwc,32,1,1,lazy,5.5,,,,,,,25,here\n");
  try {
    read_real_steps(file);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()), file.string() + ":3:mode: 'lazy' is none of eager graph");
  }
}

}  // namespace
}  // namespace stepcast
