// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Skips a test where the GPUs are missing, or fails it where the environment says that they must
// not be: STEPCAST_REQUIRE_GPU=1 for one, STEPCAST_REQUIRE_MULTIGPU=1 for several.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace stepcast::testing {

inline int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

inline bool set_to_1(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

/// A fixture for tests that need `Least` GPUs.
template <int Least>
class NeedsDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_count() >= Least) return;
    const char* variable = Least > 1 ? "STEPCAST_REQUIRE_MULTIGPU" : "STEPCAST_REQUIRE_GPU";
    if (set_to_1(variable)) {
      FAIL() << device_count() << " GPUs are visible, " << Least << " are needed; " << variable
             << "=1 forbids to skip";
    }
    GTEST_SKIP() << device_count() << " GPUs are visible, " << Least << " are needed";
  }
};

}  // namespace stepcast::testing
