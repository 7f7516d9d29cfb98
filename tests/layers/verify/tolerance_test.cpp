// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {
namespace {

Allowance allowance_of(std::string_view key, std::string_view name) {
  const Op op = parse(key);
  for (const Operand& operand : operands(op)) {
    if (operand.name == name) return allowance(op, operand);
  }
  ADD_FAILURE() << key << " has no operand " << name;
  return {};
}

/// Rms of a sum of products of numbers that are uniform in [-1, 1].
double typical(double terms) { return std::sqrt(terms) / 3; }

/// Allowed at a result of the typical size, in parts of it.
double typical_part(std::string_view key, std::string_view name, double size) {
  const Allowance allowed = allowance_of(key, name);
  return allowed.relative + allowed.absolute / size;
}

TEST(VerifyTolerance, UnitRoundoffsAreHalfTheSpacingOfNumbersAboveOne) {
  EXPECT_EQ(unit_roundoff(DType::fp32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::fp16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DType::int64), 0);
}

// A wrong sign is off by twice the result, a zero by the result itself: both are found in all but
// the few results that are a hundred times smaller than usual.
TEST(VerifyTolerance, WrongSignsAreFoundAtRealShapes) {
  struct Case {
    std::string key, name;
    double terms, most;
  };
  const std::vector<Case> cases{
      {"conv_fprop/cudnn/bf16/nhwc/n128c256h14w14k256r3s3u1p1", "y", 2304, 0.03},
      {"conv_fprop/cudnn/fp16/nhwc/n128c256h14w14k256r3s3u1p1", "y", 2304, 0.005},
      {"conv_fprop/cudnn/tf32/nchw/n128c256h14w14k256r3s3u1p1", "y", 2304, 0.005},
      {"conv_dgrad/cudnn/fp32/nchw/n128c512h7w7k512r3s3u1p1", "dx", 4608, 1e-4},
      {"conv_wgrad/cudnn/fp16/nhwc/n512c3h224w224k64r7s7u2p3", "dw", 6422528, 0.02},
      {"conv_wgrad/cudnn/fp32/nchw/n512c3h224w224k64r7s7u2p3", "dw", 6422528, 1e-4},
      {"gemm_fprop/cublaslt/fp16/row/m25216n3072k768", "y", 768, 0.005},
      {"gemm_wgrad/cublaslt/bf16/row/m201728n3072k768", "dw", 201728, 0.08}};
  for (const Case& c : cases) {
    EXPECT_LT(typical_part(c.key, c.name, typical(c.terms)), c.most) << c.key;
  }
}

TEST(VerifyTolerance, OneRoundingOfTheResultIsAllowedEverywhere) {
  EXPECT_GE(allowance_of("gemm_fprop/cublaslt/bf16/row/m64n64k64", "y").relative, 0x1p-8);
  EXPECT_GE(allowance_of("attention_fwd/cudnn/fp16/bshd/b2h3s64d64", "o").relative, 0x1p-11);
  EXPECT_GE(allowance_of("cast/cuda/fp32-fp16/flat/e100", "y").relative, 0x1p-11);
}

TEST(VerifyTolerance, Fp32IsNarrowerThanTheErrorsOfTf32) {
  // The standard deviation of tf32's: 0.29 2^-10 typical from each factor.
  const double tf32_error = std::sqrt(2.0) * 0.29 * 0x1p-10;
  EXPECT_LT(typical_part("conv_fprop/cudnn/fp32/nchw/n8c64h56w56k64r3s3u1p1", "y", typical(576)),
            tf32_error / 10);
}

TEST(VerifyTolerance, GrowsWithTheRootOfTheTermsAtLeast) {
  const double few = allowance_of("gemm_fprop/cublaslt/fp16/row/m64n64k64", "y").absolute;
  const double many = allowance_of("gemm_fprop/cublaslt/fp16/row/m64n64k6400", "y").absolute;
  EXPECT_GE(many, 9.9 * few);
  EXPECT_LE(many, 12 * few);
}

TEST(VerifyTolerance, StridedDataGradientsHaveFewerTerms) {
  EXPECT_LT(allowance_of("conv_dgrad/cudnn/fp32/nchw/n8c64h56w56k64r3s3u2p1", "dx").absolute,
            allowance_of("conv_dgrad/cudnn/fp32/nchw/n8c64h56w56k64r3s3u1p1", "dx").absolute);
}

TEST(VerifyTolerance, WhatMovesDataIsExact) {
  for (const char* key :
       {"copy/cuda/fp16/flat/e100", "relu_fwd/cuda/bf16/flat/e100", "zero/cuda/fp32/flat/e100",
        "permute/cuda/fp16/flat/a3b4c5", "increment/native/int64/flat/e3"}) {
    EXPECT_EQ(allowance_of(key, "y").relative, 0) << key;
    EXPECT_EQ(allowance_of(key, "y").absolute, 0) << key;
  }
}

TEST(VerifyTolerance, AttentionIsJudgedByTheSizeOfItsResults) {
  // A row of o is a mean of s values: 0.61 / sqrt(197) = 0.043.
  const char* fwd = "attention_fwd/cudnn/fp16/bshd/b128h12s197d64";
  EXPECT_LT(typical_part(fwd, "o", 0.043), 0.006);
  const char* bwd = "attention_bwd/cudnn/bf16/bshd/b128h12s197d64";
  EXPECT_LT(typical_part(bwd, "dq", 0.21 / std::sqrt(197.0)), 0.05);
  EXPECT_LT(typical_part(bwd, "dv", 0.043), 0.05);
}

}  // namespace
}  // namespace stepcast
