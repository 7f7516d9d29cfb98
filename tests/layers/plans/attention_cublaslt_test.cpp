// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {
namespace {

using AttentionCublasLt = PlanTest;

/// Scores, probabilities and their gradients are rounded to the operands' type between the
/// products, so that results carry a handful of roundings: twice the usual factor.
const CheckOptions kOptions{.factor = 8};

void check_all(const std::string& types, const std::string& layout) {
  for (const char* family : {"attention_fwd", "attention_bwd"}) {
    for (const char* shape : {"b2h3s64d64", "b1h1s197d64", "b3h2s50d32"}) {
      check_plan(fmt::format("{}/cublaslt/{}/{}/{}", family, types, layout, shape), kOptions);
    }
  }
}

TEST_F(AttentionCublasLt, Fp16InBshdMatchesTheReference) { check_all("fp16", "bshd"); }
TEST_F(AttentionCublasLt, Fp16InSbhdMatchesTheReference) { check_all("fp16", "sbhd"); }
TEST_F(AttentionCublasLt, Bf16InBshdMatchesTheReference) { check_all("bf16", "bshd"); }
TEST_F(AttentionCublasLt, Bf16InSbhdMatchesTheReference) { check_all("bf16", "sbhd"); }
TEST_F(AttentionCublasLt, Tf32InSbhdMatchesTheReference) { check_all("tf32", "sbhd"); }
TEST_F(AttentionCublasLt, Fp32InBshdMatchesTheReference) { check_all("fp32", "bshd"); }
TEST_F(AttentionCublasLt, Fp32InSbhdMatchesTheReference) { check_all("fp32", "sbhd"); }

// A warp keeps rows of up to 256 and up to 1024 scores in registers, and reads longer ones again.
TEST_F(AttentionCublasLt, EachRowLengthOfTheSoftmaxMatchesTheReference) {
  for (const char* family : {"attention_fwd", "attention_bwd"}) {
    for (const char* shape :
         {"b1h1s3d8", "b1h1s256d8", "b1h1s257d8", "b1h1s1024d8", "b1h1s1025d8"}) {
      check_plan(fmt::format("{}/cublaslt/fp32/sbhd/{}", family, shape), kOptions);
    }
  }
}

}  // namespace
}  // namespace stepcast
