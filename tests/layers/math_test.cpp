// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/math.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

std::string of(const char* key) { return math(parse(key)); }

TEST(Math, ProductsOfNarrowTypesAccumulateInFp32) {
  EXPECT_EQ(of("gemm_fprop/cublaslt/fp16/row/m1n2k3"), "fp16 x fp16 + fp32");
  EXPECT_EQ(of("gemm_wgrad/cublaslt/bf16-fp32/row/m1n2k3"), "bf16 x bf16 + fp32");
  EXPECT_EQ(of("gemm_dgrad/cublaslt/e4m3-bf16/row/m1n2k3"), "e4m3 x e4m3 + fp32");
  EXPECT_EQ(of("conv_fprop/cudnn/tf32/nhwc/n1c1h4w4k1r3s3u1p1"), "tf32 x tf32 + fp32");
  EXPECT_EQ(of("attention_bwd/cudnn/bf16/bshd/b1h1s8d8"), "bf16 x bf16 + fp32");
}

TEST(Math, Fp32IsFp32) {
  EXPECT_EQ(of("gemm_fprop/cublaslt/fp32/row/m1n2k3"), "fp32");
  EXPECT_EQ(of("conv_wgrad/cudnn/fp32/nchw/n1c1h4w4k1r3s3u1p1"), "fp32");
}

TEST(Math, OfOtherOpsIsFp32WhateverTheyStore) {
  EXPECT_EQ(of("batchnorm_fwd/cuda/fp16/nhwc/n1c1h1w1"), "fp32");
  EXPECT_EQ(of("add/native/bf16/flat/e1"), "fp32");
  EXPECT_EQ(of("sgd/cuda/fp32/flat/e1t1"), "fp32");
}

TEST(Math, CopiesHaveNoneAndCountersCount) {
  EXPECT_EQ(of("cast/native/fp32-bf16/flat/e1"), "");
  EXPECT_EQ(of("permute/native/bf16/flat/a2b3c4"), "");
  EXPECT_EQ(of("increment/native/int64/flat/e1"), "int64");
}

}  // namespace
}  // namespace stepcast
