// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters of tests of our own kernels: provider, types and layout, the middle of a key.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {

/// Fixture of tests whose parameter is "provider/types/layout".
class KernelTest : public PlanTest, public testing::WithParamInterface<std::string> {
 protected:
  /// Checks the plan of family/parameter/shape.
  static void check_shape(const std::string& family, const std::string& shape,
                          const CheckOptions& options = {}) {
    check_plan(family + "/" + GetParam() + "/" + shape, options);
  }
  static void check_shapes(const std::string& family, const std::vector<std::string>& shapes,
                           const CheckOptions& options = {}) {
    for (const std::string& shape : shapes) check_shape(family, shape, options);
  }
};

/// All "provider/types/layout" of the lists.
inline std::vector<std::string> key_cases(const std::vector<std::string>& providers,
                                          const std::vector<std::string>& types,
                                          const std::vector<std::string>& layouts) {
  std::vector<std::string> cases;
  for (const std::string& provider : providers) {
    for (const std::string& type : types) {
      for (const std::string& layout : layouts) {
        cases.push_back(provider + "/" + type + "/" + layout);
      }
    }
  }
  return cases;
}

/// The parameter as a test's name: letters, digits and underscores.
inline std::string case_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

inline const std::vector<std::string> kOwnProviders{"cuda", "native"};
inline const std::vector<std::string> kRealTypes{"fp32", "fp16", "bf16"};
inline const std::vector<std::string> kRealPairs{"fp32",      "fp16",      "bf16",
                                                 "fp32-fp16", "fp32-bf16", "fp16-fp32",
                                                 "bf16-fp32", "fp16-bf16", "bf16-fp16"};
inline const std::vector<std::string> kImages{"nchw", "nhwc"};

}  // namespace stepcast
