// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/operands.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace stepcast {
namespace {

char letter(Role role) {
  switch (role) {
    case Role::input:
      return 'i';
    case Role::output:
      return 'o';
    case Role::in_out:
      return 'b';
    case Role::derived:
      return 'd';
  }
  return '?';
}

char letter(const Operand& operand) {
  switch (operand.fill) {
    case Fill::uniform:
      return 'u';
    case Fill::positive:
      return '+';
    case Fill::label:
      return 'l';
    case Fill::zero:
      return '0';
  }
  return '?';
}

/// `name:role:type:count:fill`, one operand a word; the fill only where it matters.
std::string written(std::string_view key) {
  std::string text;
  for (const Operand& operand : operands(parse(key))) {
    text += fmt::format("{}{}:{}:{}:{}", text.empty() ? "" : " ", operand.name,
                        letter(operand.role), name(operand.type), operand.count);
    const bool read = operand.role == Role::input || operand.role == Role::in_out;
    if (read && operand.fill != Fill::uniform) text += fmt::format(":{}", letter(operand));
    if (read && operand.fill == Fill::label) text += fmt::format("{}", operand.limit);
  }
  return text;
}

// n 2, c 4, 5x6 by 3x3 at stride 2, padding 1: 3x3 places; 6 filters in 2 groups of 2 channels.
TEST(Operands, OfConvolutionAreTheOtherTwoTensorsAndTheResult) {
  EXPECT_EQ(written("conv_fprop/cudnn/bf16/nhwc/n2c4h5w6k6r3s3u2p1g2"),
            "x:i:bf16:240 w:i:bf16:108 y:o:bf16:108");
  EXPECT_EQ(written("conv_dgrad/cudnn/fp16/nchw/n2c4h5w6k6r3s3u2p1"),
            "dy:i:fp16:108 w:i:fp16:216 dx:o:fp16:240");
  EXPECT_EQ(written("conv_wgrad/cudnn/bf16-fp32/nchw/n2c4h5w6k6r3s3u2p1"),
            "dy:i:bf16:108 x:i:bf16:240 dw:o:fp32:216");
}

TEST(Operands, OfTf32AreStoredAsFp32) {
  EXPECT_EQ(written("gemm_fprop/cublaslt/tf32/row/m2n3k4"), "x:i:fp32:8 w:i:fp32:12 y:o:fp32:6");
}

TEST(Operands, OfGemmFollowTheEpilogue) {
  EXPECT_EQ(written("gemm_fprop+bias/cublaslt/bf16/row/m2n3k4"),
            "x:i:bf16:8 w:i:bf16:12 bias:i:bf16:3 y:o:bf16:6");
  EXPECT_EQ(written("gemm_fprop+bias_gelu/cublaslt/bf16/row/m2n3k4"),
            "x:i:bf16:8 w:i:bf16:12 bias:i:bf16:3 y:o:bf16:6 aux:o:bf16:6");
  EXPECT_EQ(written("gemm_dgrad/cublaslt/bf16/row/m2n3k4"), "dy:i:bf16:6 w:i:bf16:12 dx:o:bf16:8");
  EXPECT_EQ(written("gemm_dgrad+dgelu/cublaslt/bf16/row/m2n3k4"),
            "dy:i:bf16:6 w:i:bf16:12 aux:i:bf16:8 dx:o:bf16:8");
  EXPECT_EQ(written("gemm_wgrad/cublaslt/bf16/row/m2n3k4"), "dy:i:bf16:6 x:i:bf16:8 dw:o:bf16:12");
  EXPECT_EQ(written("gemm_wgrad+bgrad/cublaslt/bf16-fp32/row/m2n3k4"),
            "dy:i:bf16:6 x:i:bf16:8 dw:o:fp32:12 dbias:o:fp32:3");
}

TEST(Operands, OfAttentionHaveStatisticsOfEachRow) {
  EXPECT_EQ(written("attention_fwd/cudnn/bf16/bshd/b2h3s5d8"),
            "q:i:bf16:240 k:i:bf16:240 v:i:bf16:240 o:o:bf16:240 stats:o:fp32:30");
  EXPECT_EQ(written("attention_bwd/cublaslt/fp16/sbhd/b2h3s5d8"),
            "q:i:fp16:240 k:i:fp16:240 v:i:fp16:240 do:i:fp16:240 o:d:fp16:240 stats:d:fp32:30 "
            "dq:o:fp16:240 dk:o:fp16:240 dv:o:fp16:240");
}

TEST(Operands, OfBatchNormFollowTheEpilogue) {
  EXPECT_EQ(written("batchnorm_fwd/cudnn/fp16/nhwc/n2c3h4w5"),
            "x:i:fp16:120 gamma:i:fp32:3:+ beta:i:fp32:3 running_mean:b:fp32:3 "
            "running_var:b:fp32:3:+ y:o:fp16:120 save_mean:o:fp32:3 save_invstd:o:fp32:3");
  EXPECT_EQ(written("batchnorm_fwd+relu/cuda/bf16/nchw/n2c3h4w5"),
            "x:i:bf16:120 gamma:i:fp32:3:+ beta:i:fp32:3 running_mean:b:fp32:3 "
            "running_var:b:fp32:3:+ y:o:bf16:120 save_mean:o:fp32:3 save_invstd:o:fp32:3");
  EXPECT_EQ(written("batchnorm_fwd+add_relu/cuda/bf16/nhwc/n2c3h4w5"),
            "x:i:bf16:120 gamma:i:fp32:3:+ beta:i:fp32:3 z:i:bf16:120 running_mean:b:fp32:3 "
            "running_var:b:fp32:3:+ y:o:bf16:120 save_mean:o:fp32:3 save_invstd:o:fp32:3");
  EXPECT_EQ(written("batchnorm_bwd/native/bf16/nhwc/n2c3h4w5"),
            "dy:i:bf16:120 x:i:bf16:120 gamma:i:fp32:3:+ save_mean:i:fp32:3 save_invstd:i:fp32:3:+ "
            "dx:o:bf16:120 dgamma:o:fp32:3 dbeta:o:fp32:3");
  EXPECT_EQ(written("batchnorm_bwd+relu/cuda/bf16/nhwc/n2c3h4w5"),
            "dy:i:bf16:120 x:i:bf16:120 gamma:i:fp32:3:+ save_mean:i:fp32:3 save_invstd:i:fp32:3:+ "
            "y:i:bf16:120 dx:o:bf16:120 dgamma:o:fp32:3 dbeta:o:fp32:3");
  EXPECT_EQ(written("batchnorm_bwd+add_relu/cuda/bf16/nhwc/n2c3h4w5"),
            "dy:i:bf16:120 x:i:bf16:120 gamma:i:fp32:3:+ save_mean:i:fp32:3 save_invstd:i:fp32:3:+ "
            "y:i:bf16:120 dx:o:bf16:120 dgamma:o:fp32:3 dbeta:o:fp32:3 dz:o:bf16:120");
}

TEST(Operands, OfLayerNormHaveStatisticsOfEachRow) {
  EXPECT_EQ(written("layernorm_fwd/native/fp32/row/m4n6"),
            "x:i:fp32:24 gamma:i:fp32:6:+ beta:i:fp32:6 y:o:fp32:24 mean:o:fp32:4 invstd:o:fp32:4");
  EXPECT_EQ(written("layernorm_bwd/cuda/fp32-bf16/row/m4n6"),
            "dy:i:fp32:24 x:i:fp32:24 gamma:i:fp32:6:+ mean:i:fp32:4 invstd:i:fp32:4:+ "
            "dx:o:bf16:24 dgamma:o:fp32:6 dbeta:o:fp32:6");
}

TEST(Operands, OfElementwiseOps) {
  EXPECT_EQ(written("relu_fwd/native/bf16/flat/e7"), "x:i:bf16:7 y:o:bf16:7");
  EXPECT_EQ(written("relu_bwd/native/bf16/flat/e7"), "dy:i:bf16:7 y:i:bf16:7 dx:o:bf16:7");
  EXPECT_EQ(written("gelu_fwd/cuda/bf16/flat/e7"), "x:i:bf16:7 y:o:bf16:7");
  EXPECT_EQ(written("gelu_bwd/cuda/bf16/flat/e7"), "dy:i:bf16:7 x:i:bf16:7 dx:o:bf16:7");
  EXPECT_EQ(written("add/native/bf16-fp32/flat/e7"), "a:i:bf16:7 b:i:fp32:7 y:o:fp32:7");
  EXPECT_EQ(written("cast/native/fp32-bf16/flat/e7"), "x:i:fp32:7 y:o:bf16:7");
  EXPECT_EQ(written("copy/native/int64/flat/e7"), "x:i:int64:7:l256 y:o:int64:7");
  EXPECT_EQ(written("scale/native/fp32/flat/e7"), "x:i:fp32:7 y:o:fp32:7");
  EXPECT_EQ(written("zero/native/fp32/flat/e7"), "y:o:fp32:7");
  EXPECT_EQ(written("increment/native/int64/flat/e1"), "y:b:int64:1:l256");
  EXPECT_EQ(written("permute/native/bf16/flat/a2b3c4"), "x:i:bf16:24 y:o:bf16:24");
  EXPECT_EQ(written("bias_add/native/bf16/row/m3n5"), "y:b:bf16:15 bias:i:bf16:5");
  EXPECT_EQ(written("bias_grad/native/bf16-fp32/row/m3n5"), "dy:i:bf16:15 dbias:o:fp32:5");
}

TEST(Operands, OfMaxPoolingRememberPlacesAsTheProviderDoes) {
  EXPECT_EQ(written("maxpool_fwd/native/bf16/nhwc/n1c2h6w6r3u2p1"),
            "x:i:bf16:72 y:o:bf16:18 index:o:int64:18");
  EXPECT_EQ(written("maxpool_fwd/cuda/bf16/nhwc/n1c2h6w6r3u2p1"),
            "x:i:bf16:72 y:o:bf16:18 index:o:uint8:18");
  EXPECT_EQ(written("maxpool_bwd/native/bf16/nchw/n1c2h6w6r3u2p1"),
            "dy:i:bf16:18 x:i:bf16:72 index:d:int64:18 dx:o:bf16:72");
}

TEST(Operands, OfAveragePooling) {
  EXPECT_EQ(written("avgpool_fwd/native/bf16/nhwc/n2c8h7w7r7u1p0"), "x:i:bf16:784 y:o:bf16:16");
  EXPECT_EQ(written("avgpool_bwd/native/bf16/nhwc/n2c8h7w7r7u1p0"), "dy:i:bf16:16 dx:o:bf16:784");
}

TEST(Operands, OfCrossEntropyHaveLabelsBelowTheNumberOfClasses) {
  EXPECT_EQ(written("cross_entropy_fwd/native/fp16-fp32/row/m4n10"),
            "logits:i:fp16:40 label:i:int64:4:l10 logprob:o:fp32:40 loss:o:fp32:1");
  EXPECT_EQ(written("cross_entropy_bwd/native/fp32-bf16/row/m4n10"),
            "logits:i:fp32:40 label:i:int64:4:l10 logprob:d:fp32:40 dlogits:o:bf16:40");
}

TEST(Operands, OfTheOptimizerAreFp32) {
  EXPECT_EQ(written("sgd/native/fp32/flat/e100t3"),
            "weight:b:fp32:100 gradient:i:fp32:100 momentum:b:fp32:100");
  EXPECT_EQ(written("unscale/native/fp32/flat/e100t3"), "gradient:b:fp32:100 found_inf:b:fp32:1:0");
}

}  // namespace
}  // namespace stepcast
