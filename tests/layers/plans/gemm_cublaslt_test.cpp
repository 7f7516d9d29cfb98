// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "layers/operands.hpp"
#include "layers/plans/plan.hpp"
#include "tests/layers/plans/device_tensors.hpp"
#include "tests/layers/plans/plan_harness.hpp"
#include "tests/reference/named_tensors.hpp"

namespace stepcast {
namespace {

using GemmCublasLt = PlanTest;

constexpr std::array<const char*, 3> kShapes{"m64n48k96", "m40n136k24", "m200n8k64"};

/// GELU as cuBLASLt applies it: 0.5 x (1 + tanh u) with u = sqrt(2/pi) (x + 0.044715 x^3).
double tanh_argument(double x) {
  return std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
}
double tanh_gelu(double x) { return 0.5 * x * (1.0 + std::tanh(tanh_argument(x))); }
double tanh_gelu_derivative(double x) {
  const double t = std::tanh(tanh_argument(x));
  const double slope = std::sqrt(2.0 / std::acos(-1.0)) * (1.0 + 3.0 * 0.044715 * x * x);
  return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * slope;
}

/// The reference, with the tanh form where it uses the error function.
void tanh_reference(const Op& op, Tensors& tensors) {
  if (op.epilogue == Epilogue::bias_gelu) {
    reference(op, tensors);
    NamedTensors named(op, tensors);
    for (std::size_t i = 0; i < named["y"].size(); ++i) {
      named["y"][i] = tanh_gelu(named["aux"][i]);
    }
  } else {
    Op plain = op;
    plain.epilogue = Epilogue::none;
    Tensors operands{tensors[0], tensors[1], tensors[3]};  // dy w dx, without aux
    reference(plain, operands);
    for (std::size_t i = 0; i < operands[2].size(); ++i) {
      tensors[3][i] = operands[2][i] * tanh_gelu_derivative(tensors[2][i]);
    }
  }
}

void check_products(const std::string& types) {
  for (const char* family : {"gemm_fprop", "gemm_dgrad", "gemm_wgrad"}) {
    for (const char* shape : kShapes) {
      check_plan(fmt::format("{}/cublaslt/{}/row/{}", family, types, shape),
                 {.most_candidates = 8});
    }
  }
}

void check_epilogues(const std::string& types) {
  for (const char* shape : kShapes) {
    const std::string rest = fmt::format("/cublaslt/{}/row/{}", types, shape);
    check_plan("gemm_fprop+bias" + rest, {.most_candidates = 8});
    check_plan("gemm_wgrad+bgrad" + rest, {.most_candidates = 8});
    check_plan("gemm_fprop+bias_gelu" + rest, {.most_candidates = 8, .judge = tanh_reference});
    check_plan("gemm_dgrad+dgelu" + rest, {.most_candidates = 8, .judge = tanh_reference});
  }
}

TEST_F(GemmCublasLt, Fp16MatchesTheReference) { check_products("fp16"); }
TEST_F(GemmCublasLt, Bf16MatchesTheReference) { check_products("bf16"); }
TEST_F(GemmCublasLt, Tf32MatchesTheReference) { check_products("tf32"); }
// The tolerance of fp32 is 256 times narrower than TF32's errors.
TEST_F(GemmCublasLt, Fp32MatchesTheReference) { check_products("fp32"); }

TEST_F(GemmCublasLt, EpiloguesInFp16MatchTheReference) { check_epilogues("fp16"); }
TEST_F(GemmCublasLt, EpiloguesInBf16MatchTheReference) { check_epilogues("bf16"); }

TEST_F(GemmCublasLt, OddSizesMatchTheReference) {
  for (const char* family : {"gemm_fprop", "gemm_dgrad", "gemm_wgrad"}) {
    for (const char* types : {"fp32", "tf32", "fp16", "bf16"}) {
      check_plan(fmt::format("{}/cublaslt/{}/row/m33n17k29", family, types));
    }
  }
}

TEST_F(GemmCublasLt, AWeightGradientInFp32FromHalfMatchesTheReference) {
  check_plan("gemm_wgrad/cublaslt/bf16-fp32/row/m64n48k96");
  check_plan("gemm_wgrad/cublaslt/fp16-fp32/row/m64n48k96");
}

// Products of two e4m3 numbers are exact in fp32, so that a result's error is that of bf16.
TEST_F(GemmCublasLt, E4m3MatchesTheReference) {
  const cudaDeviceProp& device = test_libraries().device;
  if (device.major * 10 + device.minor < 89) GTEST_SKIP() << "e4m3 needs 8.9";
  for (const char* family : {"gemm_fprop", "gemm_dgrad", "gemm_wgrad"}) {
    for (const char* shape : {"m64n48k96", "m16n144k32", "m208n16k64", "m1024n256k512"}) {
      check_plan(fmt::format("{}/cublaslt/e4m3-bf16/row/{}", family, shape),
                 {.most_candidates = 8});
    }
  }
}

TEST_F(GemmCublasLt, NotesSayThatSumsAreFp32AndHowKIsSplit) {
  const Op op = parse("gemm_fprop/cublaslt/fp16/row/m256n256k4096");
  const DeviceTensors tensors(operands(op));
  const PlanOrReason made = make_plan(test_libraries(), op, tensors.buffers());
  ASSERT_NE(made.plan, nullptr) << made.reason;
  for (std::size_t rank = 0; rank < made.plan->candidates(); ++rank) {
    if (!made.plan->select(rank)) continue;
    const std::string notes = made.plan->notes();
    EXPECT_NE(notes.find("accumulator_fp32"), std::string::npos) << notes;
    EXPECT_NE(notes.find("splitk="), std::string::npos) << notes;
    EXPECT_NE(notes.find("reduction="), std::string::npos) << notes;
  }
}

TEST_F(GemmCublasLt, E4m3OfOddSizesIsRefusedInCublasLtsWords) {
  const cudaDeviceProp& device = test_libraries().device;
  if (device.major * 10 + device.minor < 89) GTEST_SKIP() << "e4m3 needs 8.9";
  const Op op = parse("gemm_fprop/cublaslt/e4m3-bf16/row/m64n40k72");
  const DeviceTensors tensors(operands(op));
  const PlanOrReason made = make_plan(test_libraries(), op, tensors.buffers());
  EXPECT_EQ(made.plan, nullptr);
  EXPECT_NE(made.reason.find("cuBLASLt has no algorithm"), std::string::npos) << made.reason;
  EXPECT_NE(made.reason.find("e4m3 to bf16"), std::string::npos) << made.reason;
}

}  // namespace
}  // namespace stepcast
