// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/versions.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/cuda/architecture.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/nvml.hpp"
#include "tests/core/cuda/gpu_test.hpp"

namespace stepcast {
namespace {

cudaDeviceProp device() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "reading the properties of device 0");
  return properties;
}

class RunStart : public testing::GpuTest {};

TEST(VersionText, NumbersOfTheLibrariesAreTakenApart) {
  EXPECT_EQ(version_text(13000, 1000, 10), "13.0.0");  // CUDA runtime
  EXPECT_EQ(version_text(12080, 1000, 10), "12.8.0");
  EXPECT_EQ(version_text(91900, 10000, 100), "9.19.0");   // cuDNN
  EXPECT_EQ(version_text(130103, 10000, 100), "13.1.3");  // cuBLASLt
}

TEST(Nvml, UnknownPciAddressIsNoGpu) { EXPECT_FALSE(nvml_info("ffff:ff:1f.0").has_value()); }

TEST_F(RunStart, ThisBuildHoldsCodeForThisGpu) { EXPECT_NO_THROW(require_built_for(device())); }

TEST_F(RunStart, RecordNamesTheGpuAsTheDriverDoes) {
  const nlohmann::json run = new_run("a program", {"program", "--filter=a b"}, device());
  const nlohmann::json& gpu = run.at("gpu");
  EXPECT_EQ(gpu.at("name"), device().name);
  EXPECT_GT(gpu.at("l2_bytes").get<std::int64_t>(), 0);
  EXPECT_GT(gpu.at("sm_count").get<int>(), 0);
  if (const auto nvml = nvml_info(gpu.at("pci").get<std::string>())) {
    EXPECT_EQ(gpu.at("uuid"), nvml->uuid);
    EXPECT_EQ(gpu.at("driver"), nvml->driver);
  }
  EXPECT_EQ(run.at("command"), "program '--filter=a b'");
  EXPECT_TRUE(run.at("libraries").at("cudnn").get<std::string>().starts_with("9."));
  EXPECT_EQ(run.at("started").get<std::string>().size(),
            std::string("2026-01-01T00:00:00Z").size());
}

}  // namespace
}  // namespace stepcast
