// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {
namespace {

using AttentionCudnn = PlanTest;

/// Probabilities and their gradients are rounded to half precision between the products, so that
/// results carry a handful of roundings: twice the usual factor.
const CheckOptions kOptions{.factor = 8, .most_candidates = 2};

void check_all(const std::string& types, const std::string& layout) {
  for (const char* family : {"attention_fwd", "attention_bwd"}) {
    for (const char* shape : {"b2h3s64d64", "b1h1s197d64", "b3h2s50d32", "b1h1s128d128"}) {
      check_plan(fmt::format("{}/cudnn/{}/{}/{}", family, types, layout, shape), kOptions);
    }
  }
}

TEST_F(AttentionCudnn, Fp16InBshdMatchesTheReference) { check_all("fp16", "bshd"); }
TEST_F(AttentionCudnn, Fp16InSbhdMatchesTheReference) { check_all("fp16", "sbhd"); }
TEST_F(AttentionCudnn, Bf16InBshdMatchesTheReference) { check_all("bf16", "bshd"); }
TEST_F(AttentionCudnn, Bf16InSbhdMatchesTheReference) { check_all("bf16", "sbhd"); }

}  // namespace
}  // namespace stepcast
