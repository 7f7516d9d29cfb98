// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// GpuTest: a fixture that skips without a GPU; with STEPCAST_REQUIRE_GPU=1 that is a failure.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace stepcast::testing {

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status == cudaSuccess && devices > 0) return;
    cudaGetLastError();
    const std::string missing = std::string("no GPU: ") + cudaGetErrorString(status);
    const char* required = std::getenv("STEPCAST_REQUIRE_GPU");
    if (required != nullptr && std::string_view(required) == "1") FAIL() << missing;
    GTEST_SKIP() << missing;
  }
};

}  // namespace stepcast::testing
