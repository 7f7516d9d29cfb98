// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "layers/plans/plan.hpp"

namespace stepcast {
namespace {

/// What make_plan() says on a GPU of this compute capability; no library is called for these.
std::string reason(const Op& op, int major, int minor) {
  Libraries libraries;
  libraries.device.major = major;
  libraries.device.minor = minor;
  const std::array<void*, 9> buffers{};
  const PlanOrReason made = make_plan(libraries, op, buffers);
  EXPECT_EQ(made.plan, nullptr);
  return made.reason;
}

TEST(MakePlan, Bf16IsRefusedBeforeComputeCapability8) {
  EXPECT_EQ(reason(parse("conv_fprop/cudnn/bf16/nhwc/n1c8h4w4k8r1s1u1p0"), 7, 5),
            "bf16 needs compute capability 8.0, this GPU has 7.5");
  EXPECT_EQ(reason(parse("cast/native/fp32-bf16/flat/e8"), 7, 0),
            "bf16 needs compute capability 8.0, this GPU has 7.0");
}

TEST(MakePlan, E4m3IsRefusedBeforeComputeCapability89) {
  const Op op = parse("gemm_fprop/cublaslt/e4m3-bf16/row/m16n16k16");
  EXPECT_EQ(reason(op, 8, 6), "e4m3 needs compute capability 8.9, this GPU has 8.6");
  EXPECT_EQ(reason(op, 7, 5), "e4m3 needs compute capability 8.9, this GPU has 7.5");
}

TEST(MakePlan, AFamilyThatAProviderLacksIsNamed) {
  Op op = parse("conv_fprop/cudnn/fp16/nhwc/n1c8h4w4k8r1s1u1p0");
  op.provider = Provider::cublaslt;
  EXPECT_EQ(reason(op, 9, 0), "provider cublaslt has no conv_fprop");
}

TEST(MakePlan, FusedAttentionRefusesFullPrecisionAndOddHeads) {
  EXPECT_EQ(reason(parse("attention_fwd/cudnn/fp32/bshd/b1h2s16d32"), 9, 0),
            "cuDNN's fused attention takes fp16 and bf16, not fp32");
  EXPECT_EQ(reason(parse("attention_bwd/cudnn/tf32/sbhd/b1h2s16d32"), 9, 0),
            "cuDNN's fused attention takes fp16 and bf16, not tf32");
  EXPECT_EQ(reason(parse("attention_fwd/cudnn/fp16/bshd/b1h2s16d12"), 9, 0),
            "cuDNN's fused attention takes a head dimension that is a multiple of 8 up to 128, "
            "not 12");
  EXPECT_EQ(reason(parse("attention_fwd/cudnn/bf16/bshd/b1h2s16d136"), 9, 0),
            "cuDNN's fused attention takes a head dimension that is a multiple of 8 up to 128, "
            "not 136");
}

TEST(MakePlan, BatchNormOfCudnnHasNoEpilogue) {
  EXPECT_EQ(reason(parse("batchnorm_fwd+add_relu/cudnn/fp16/nhwc/n2c8h4w4"), 9, 0),
            "cuDNN's batch norm as PyTorch calls it has no epilogue add_relu");
}

}  // namespace
}  // namespace stepcast
