// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "layers/operands.hpp"
#include "tests/reference/fill.hpp"
#include "tests/reference/gradient.hpp"

namespace stepcast {
namespace {

/// One small key a family and epilogue.
constexpr const char* kKeys[] = {"conv_fprop/cudnn/bf16/nhwc/n2c4h5w6k6r3s3u2p1",
                                 "conv_dgrad/cudnn/bf16/nchw/n2c4h5w6k6r3s3u2p1",
                                 "conv_wgrad/cudnn/bf16/nhwc/n2c4h5w6k6r3s3u2p1",
                                 "gemm_fprop/cublaslt/tf32/row/m2n3k4",
                                 "gemm_fprop+bias/cublaslt/bf16/row/m2n3k4",
                                 "gemm_fprop+bias_gelu/cublaslt/bf16/row/m2n3k4",
                                 "gemm_dgrad/cublaslt/bf16/row/m2n3k4",
                                 "gemm_dgrad+dgelu/cublaslt/bf16/row/m2n3k4",
                                 "gemm_wgrad/cublaslt/bf16/row/m2n3k4",
                                 "gemm_wgrad+bgrad/cublaslt/bf16/row/m2n3k4",
                                 "attention_fwd/cudnn/bf16/bshd/b2h3s5d8",
                                 "attention_bwd/cublaslt/bf16/sbhd/b2h3s5d8",
                                 "batchnorm_fwd/cudnn/fp16/nhwc/n2c3h4w5",
                                 "batchnorm_fwd+relu/cuda/fp16/nchw/n2c3h4w5",
                                 "batchnorm_fwd+add_relu/cuda/fp16/nhwc/n2c3h4w5",
                                 "batchnorm_bwd/cudnn/fp16/nhwc/n2c3h4w5",
                                 "batchnorm_bwd+relu/cuda/fp16/nchw/n2c3h4w5",
                                 "batchnorm_bwd+add_relu/cuda/fp16/nhwc/n2c3h4w5",
                                 "layernorm_fwd/cuda/fp32/row/m4n6",
                                 "layernorm_bwd/cuda/fp32/row/m4n6",
                                 "relu_fwd/native/bf16/flat/e7",
                                 "relu_bwd/native/bf16/flat/e7",
                                 "gelu_fwd/native/bf16/flat/e7",
                                 "gelu_bwd/native/bf16/flat/e7",
                                 "add/native/bf16-fp32/flat/e7",
                                 "cast/native/fp32-bf16/flat/e7",
                                 "copy/native/fp32/flat/e7",
                                 "scale/native/fp32/flat/e7",
                                 "zero/native/fp32/flat/e7",
                                 "increment/native/int64/flat/e7",
                                 "permute/native/bf16/flat/a2b3c4",
                                 "bias_add/native/bf16/row/m3n5",
                                 "bias_grad/native/bf16/row/m3n5",
                                 "maxpool_fwd/native/bf16/nhwc/n1c2h6w6r3u2p1",
                                 "maxpool_bwd/cuda/bf16/nchw/n1c2h6w6r3u2p1",
                                 "avgpool_fwd/native/bf16/nhwc/n2c8h7w7r7u1p0",
                                 "avgpool_bwd/native/bf16/nchw/n2c8h7w7r7u1p0",
                                 "cross_entropy_fwd/native/fp32/row/m4n10",
                                 "cross_entropy_bwd/native/fp32/row/m4n10",
                                 "sgd/native/fp32/flat/e10t2",
                                 "unscale/native/fp32/flat/e10t2"};

TEST(Reference, ComputesEveryElementOfEveryFamily) {
  for (const char* key : kKeys) {
    const Op op = parse(key);
    const std::vector<Operand> list = operands(op);
    const Tensors tensors = computed(op, 20);
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const double value : tensors[i])
        EXPECT_TRUE(std::isfinite(value)) << key << list[i].name;
    }
  }
}

TEST(Reference, CoversEveryFamilyAbove) {
  for (const auto& [family, family_name] : kFamilyNames) {
    bool found = false;
    for (const char* key : kKeys) found = found || parse(key).family == family;
    EXPECT_TRUE(found) << family_name;
  }
}

TEST(Reference, LeavesInputsAsTheyWere) {
  for (const char* key : kKeys) {
    const Op op = parse(key);
    const std::vector<Operand> list = operands(op);
    const Tensors before = filled(op, 21);
    const Tensors after = computed(op, 21);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].role != Role::input) continue;
      EXPECT_EQ(after[i], before[i]) << key << list[i].name;
    }
  }
}

TEST(Reference, RefusesTensorsOfAnotherOp) {
  const Op op = parse("add/native/fp32/flat/e2");
  Tensors few = {{1, 2}, {3, 4}};
  EXPECT_THROW(reference(op, few), DataError);
  Tensors small = {{1, 2}, {3}, {0, 0}};
  EXPECT_THROW(reference(op, small), DataError);
  Op wrong = op;
  wrong.shape = MatrixShape{1, 2};
  Tensors right = {{1, 2}, {3, 4}, {0, 0}};
  EXPECT_THROW(reference(wrong, right), DataError);
}

TEST(Fill, FollowsTheRangesOfOperands) {
  const Op op = parse("cross_entropy_bwd/native/fp32/row/m400n10");
  Tensors tensors = filled(op, 22);
  double least = 1;
  double largest = -1;
  for (const double value : tensors[0]) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  EXPECT_GE(least, -1.0);
  EXPECT_LT(least, -0.9);
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.9);
  std::vector<int> seen(10);
  for (const double label : tensors[1]) ++seen.at(static_cast<std::size_t>(label));
  for (const int count : seen) EXPECT_GT(count, 0);
  EXPECT_TRUE(std::isnan(tensors[2][0]));
  EXPECT_EQ(filled(op, 22)[0], tensors[0]);
  EXPECT_NE(filled(op, 23)[0], tensors[0]);
}

}  // namespace
}  // namespace stepcast
