// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {
namespace {

using NormCudnn = PlanTest;

void check_all(const std::string& types, const std::string& layout) {
  for (const char* family : {"batchnorm_fwd", "batchnorm_bwd"}) {
    for (const char* shape : {"n8c64h7w7", "n4c8h9w5", "n2c32h16w16"}) {
      check_plan(fmt::format("{}/cudnn/{}/{}/{}", family, types, layout, shape));
    }
  }
}

TEST_F(NormCudnn, Fp16InNhwcMatchesTheReference) { check_all("fp16", "nhwc"); }
TEST_F(NormCudnn, Fp16InNchwMatchesTheReference) { check_all("fp16", "nchw"); }
TEST_F(NormCudnn, Fp32InNhwcMatchesTheReference) { check_all("fp32", "nhwc"); }
TEST_F(NormCudnn, Fp32InNchwMatchesTheReference) { check_all("fp32", "nchw"); }
TEST_F(NormCudnn, Bf16InNhwcMatchesTheReference) { check_all("bf16", "nhwc"); }
TEST_F(NormCudnn, Bf16InNchwMatchesTheReference) { check_all("bf16", "nchw"); }

}  // namespace
}  // namespace stepcast
