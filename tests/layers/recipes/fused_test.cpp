// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipes/fused.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/layers/recipes/step_text.hpp"

namespace stepcast {
namespace {

using Text = std::vector<std::string>;

std::vector<PlacedOp> step(std::string_view model, DType precision, Layout layout = Layout::nhwc) {
  return step_ops(make_model(model), options(RecipeKind::fused, precision, 2, true, layout));
}

TEST(Fused, BottleneckIsConvolutionsAndNormsWithTheirEpilogues) {
  const std::vector<PlacedOp> ops = step("resnet50", DType::bf16);
  EXPECT_EQ(lines(ops, Phase::forward, "layer1.1."),
            (Text{"conv1 fprop conv_fprop/cudnn/bf16/nhwc/n2c256h56w56k64r1s1u1p0",
                  "bn1 fwd batchnorm_fwd+relu/cuda/bf16/nhwc/n2c64h56w56",
                  "conv2 fprop conv_fprop/cudnn/bf16/nhwc/n2c64h56w56k64r3s3u1p1",
                  "bn2 fwd batchnorm_fwd+relu/cuda/bf16/nhwc/n2c64h56w56",
                  "conv3 fprop conv_fprop/cudnn/bf16/nhwc/n2c64h56w56k256r1s1u1p0",
                  "bn3 fwd batchnorm_fwd+add_relu/cuda/bf16/nhwc/n2c256h56w56"}));
  EXPECT_EQ(lines(ops, Phase::backward, "layer1.1."),
            (Text{"bn3 bwd batchnorm_bwd+add_relu/cuda/bf16/nhwc/n2c256h56w56",
                  "conv3 dgrad conv_dgrad/cudnn/bf16/nhwc/n2c64h56w56k256r1s1u1p0",
                  "conv3 wgrad conv_wgrad/cudnn/bf16/nhwc/n2c64h56w56k256r1s1u1p0",
                  "bn2 bwd batchnorm_bwd+relu/cuda/bf16/nhwc/n2c64h56w56",
                  "conv2 dgrad conv_dgrad/cudnn/bf16/nhwc/n2c64h56w56k64r3s3u1p1",
                  "conv2 wgrad conv_wgrad/cudnn/bf16/nhwc/n2c64h56w56k64r3s3u1p1",
                  "bn1 bwd batchnorm_bwd+relu/cuda/bf16/nhwc/n2c64h56w56",
                  "conv1 dgrad conv_dgrad/cudnn/bf16/nhwc/n2c256h56w56k64r1s1u1p0",
                  "conv1 wgrad conv_wgrad/cudnn/bf16/nhwc/n2c256h56w56k64r1s1u1p0",
                  "conv1 accumulate add/cuda/bf16/flat/e1605632"}));
}

// The identity's batch norm runs last and adds the branch's.
TEST(Fused, DownsamplingNormDoesTheResidualSum) {
  const std::vector<PlacedOp> ops = step("resnet50", DType::fp16, Layout::nchw);
  EXPECT_EQ(lines(ops, Phase::forward, "layer2.0.bn3"),
            Text{" fwd batchnorm_fwd/cuda/fp16/nchw/n2c512h28w28"});
  EXPECT_EQ(lines(ops, Phase::forward, "layer2.0.downsample.1"),
            Text{" fwd batchnorm_fwd+add_relu/cuda/fp16/nchw/n2c512h28w28"});
}

TEST(Fused, EncoderBlockIsNineOpsForward) {
  const std::vector<PlacedOp> ops = step("vit_b_16", DType::bf16);
  EXPECT_EQ(
      lines(ops, Phase::forward, "encoder.1."),
      (Text{"ln_1 fwd layernorm_fwd/cuda/bf16/row/m394n768",
            "self_attention.in_proj fprop gemm_fprop+bias/cublaslt/bf16/row/m394n2304k768",
            "self_attention.attention fwd attention_fwd/cudnn/bf16/bshd/b2h12s197d64",
            "self_attention.out_proj fprop gemm_fprop+bias/cublaslt/bf16/row/m394n768k768",
            "add_1 fwd add/cuda/bf16/flat/e302592", "ln_2 fwd layernorm_fwd/cuda/bf16/row/m394n768",
            "mlp.fc1 fprop gemm_fprop+bias_gelu/cublaslt/bf16/row/m394n3072k768",
            "mlp.fc2 fprop gemm_fprop+bias/cublaslt/bf16/row/m394n768k3072",
            "add_2 fwd add/cuda/bf16/flat/e302592"}));
  EXPECT_EQ(lines(ops, Phase::backward, "encoder.1."),
            (Text{"mlp.fc2 dgrad gemm_dgrad+dgelu/cublaslt/bf16/row/m394n768k3072",
                  "mlp.fc2 wgrad gemm_wgrad+bgrad/cublaslt/bf16/row/m394n768k3072",
                  "mlp.fc1 dgrad gemm_dgrad/cublaslt/bf16/row/m394n3072k768",
                  "mlp.fc1 wgrad gemm_wgrad+bgrad/cublaslt/bf16/row/m394n3072k768",
                  "ln_2 bwd layernorm_bwd/cuda/bf16/row/m394n768",
                  "ln_2 accumulate add/cuda/bf16/flat/e302592",
                  "self_attention.out_proj dgrad gemm_dgrad/cublaslt/bf16/row/m394n768k768",
                  "self_attention.out_proj wgrad gemm_wgrad+bgrad/cublaslt/bf16/row/m394n768k768",
                  "self_attention.attention bwd attention_bwd/cudnn/bf16/bshd/b2h12s197d64",
                  "self_attention.in_proj dgrad gemm_dgrad/cublaslt/bf16/row/m394n2304k768",
                  "self_attention.in_proj wgrad gemm_wgrad+bgrad/cublaslt/bf16/row/m394n2304k768",
                  "ln_1 bwd layernorm_bwd/cuda/bf16/row/m394n768",
                  "ln_1 accumulate add/cuda/bf16/flat/e302592"}));
}

TEST(Fused, StepEndsWithOneSgdAndOneCastOfAllWeights) {
  EXPECT_EQ(lines(step("resnet50", DType::fp16), Phase::optimizer, "optimizer"),
            (Text{" sgd sgd/cuda/fp32/flat/e25557032t161",
                  " cast_weights cast/cuda/fp32-fp16/flat/e25557032"}));
  EXPECT_EQ(lines(step("resnet50", DType::tf32), Phase::optimizer, "optimizer"),
            Text{" sgd sgd/cuda/fp32/flat/e25557032t161"});
}

TEST(Fused, HasNeitherCastsNorDdpCopiesInForwardAndBackward) {
  for (const std::string_view model : {"resnet50", "vit_b_16"}) {
    const std::vector<PlacedOp> ops = step(model, DType::bf16);
    EXPECT_EQ(kernels_of(ops, Family::cast), 1) << model;
    EXPECT_EQ(kernels_of(ops, Family::scale), 0) << model;
    EXPECT_TRUE(lines(ops, Phase::finalize, "").empty()) << model;
    EXPECT_EQ(kernels_of(ops, [](const PlacedOp& p) { return p.op.provider == Provider::native; }),
              0);
  }
}

// Convolutions 155 + 154 + 155, fc 3, norms 310, accumulations 50, pooling 4, loss 2, optimizer 2.
TEST(Fused, StepOfResNet152HasAnOpForEachPieceOfWork) {
  EXPECT_EQ(step("resnet152", DType::bf16).size(), 464U + 3 + 310 + 50 + 4 + 2 + 2);
}

TEST(Fused, AttentionInTf32IsUnfused) {
  EXPECT_EQ(lines(step("vit_b_16", DType::tf32), Phase::forward, "encoder.0.self_attention.a"),
            Text{"ttention fwd attention_fwd/cublaslt/tf32/sbhd/b2h12s197d64"});
}

}  // namespace
}  // namespace stepcast
