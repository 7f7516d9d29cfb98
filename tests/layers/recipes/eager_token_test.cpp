// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// The eager recipe on a vision transformer. Two images of vit_b_16: 2 * 197 = 394 rows; of width
// 768 they are 302 592 elements, of 2304 907 776, of 3072 1 210 368.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "layers/recipes/eager.hpp"
#include "tests/layers/recipes/step_text.hpp"

namespace stepcast {
namespace {

using Text = std::vector<std::string>;

std::vector<PlacedOp> vit(DType precision, bool ddp = false) {
  return step_ops(make_model("vit_b_16"), options(RecipeKind::eager, precision, 2, ddp));
}

TEST(EagerToken, EncoderBlockForwardCopiesWhatLiesTransposed) {
  const Text expected{
      "ln_1 permute_input permute/native/fp32/flat/a197b2c768",
      "ln_1 fwd layernorm_fwd/native/fp32/row/m394n768",
      "self_attention.in_proj cast_weight cast/native/fp32-bf16/flat/e1769472",
      "self_attention.in_proj cast_bias cast/native/fp32-bf16/flat/e2304",
      "self_attention.in_proj cast_input cast/native/fp32-bf16/flat/e302592",
      "self_attention.in_proj permute_input permute/native/bf16/flat/a2b197c768",
      "self_attention.in_proj fprop gemm_fprop/cublaslt/bf16/row/m394n2304k768",
      "self_attention.in_proj bias_add bias_add/native/bf16/row/m394n2304",
      "self_attention.in_proj permute_qkv permute/native/bf16/flat/a394b3c768",
      "self_attention.attention fwd attention_fwd/cudnn/bf16/sbhd/b2h12s197d64",
      "self_attention.out_proj cast_weight cast/native/fp32-bf16/flat/e589824",
      "self_attention.out_proj cast_bias cast/native/fp32-bf16/flat/e768",
      "self_attention.out_proj fprop gemm_fprop+bias/cublaslt/bf16/row/m394n768k768",
      "add_1 fwd add/native/bf16-fp32/flat/e302592",
      "ln_2 permute_input permute/native/fp32/flat/a197b2c768",
      "ln_2 fwd layernorm_fwd/native/fp32/row/m394n768",
      "mlp.fc1 cast_weight cast/native/fp32-bf16/flat/e2359296",
      "mlp.fc1 cast_bias cast/native/fp32-bf16/flat/e3072",
      "mlp.fc1 cast_input cast/native/fp32-bf16/flat/e302592",
      "mlp.fc1 fprop gemm_fprop+bias/cublaslt/bf16/row/m394n3072k768",
      "mlp.gelu fwd gelu_fwd/native/bf16/flat/e1210368",
      "mlp.fc2 cast_weight cast/native/fp32-bf16/flat/e2359296",
      "mlp.fc2 cast_bias cast/native/fp32-bf16/flat/e768",
      "mlp.fc2 fprop gemm_fprop+bias/cublaslt/bf16/row/m394n768k3072",
      "add_2 fwd add/native/bf16-fp32/flat/e302592"};
  EXPECT_EQ(lines(vit(DType::bf16), Phase::forward, "encoder.1."), expected);
}

TEST(EagerToken, EncoderBlockBackwardGathersThreeZeroFilledGradients) {
  const Text expected{"add_2 cast_branch_grad cast/native/fp32-bf16/flat/e302592",
                      "mlp.fc2 dgrad gemm_dgrad/cublaslt/bf16/row/m394n768k3072",
                      "mlp.fc2 wgrad gemm_wgrad/cublaslt/bf16/row/m394n768k3072",
                      "mlp.fc2 bias_grad bias_grad/native/bf16/row/m394n768",
                      "mlp.fc2 cast_grad_weight cast/native/bf16-fp32/flat/e2359296",
                      "mlp.fc2 cast_grad_bias cast/native/bf16-fp32/flat/e768",
                      "mlp.gelu bwd gelu_bwd/native/bf16/flat/e1210368",
                      "mlp.fc1 dgrad gemm_dgrad/cublaslt/bf16/row/m394n3072k768",
                      "mlp.fc1 wgrad gemm_wgrad/cublaslt/bf16/row/m394n3072k768",
                      "mlp.fc1 bias_grad bias_grad/native/bf16/row/m394n3072",
                      "mlp.fc1 cast_grad_weight cast/native/bf16-fp32/flat/e2359296",
                      "mlp.fc1 cast_grad_bias cast/native/bf16-fp32/flat/e3072",
                      "mlp.fc1 cast_input_grad cast/native/bf16-fp32/flat/e302592",
                      "ln_2 permute_input_bwd permute/native/fp32/flat/a197b2c768",
                      "ln_2 bwd layernorm_bwd/native/fp32/row/m394n768",
                      "ln_2 accumulate add/native/fp32/flat/e302592",
                      "add_1 cast_branch_grad cast/native/fp32-bf16/flat/e302592",
                      "self_attention.out_proj permute_grad permute/native/bf16/flat/a2b197c768",
                      "self_attention.out_proj dgrad gemm_dgrad/cublaslt/bf16/row/m394n768k768",
                      "self_attention.out_proj wgrad gemm_wgrad/cublaslt/bf16/row/m394n768k768",
                      "self_attention.out_proj bias_grad bias_grad/native/bf16/row/m394n768",
                      "self_attention.out_proj cast_grad_weight cast/native/bf16-fp32/flat/e589824",
                      "self_attention.out_proj cast_grad_bias cast/native/bf16-fp32/flat/e768",
                      "self_attention.attention bwd attention_bwd/cudnn/bf16/sbhd/b2h12s197d64",
                      "self_attention.attention select_fill_v zero/native/bf16/flat/e907776",
                      "self_attention.attention select_copy_v copy/native/bf16/flat/e302592",
                      "self_attention.attention select_fill_k zero/native/bf16/flat/e907776",
                      "self_attention.attention select_copy_k copy/native/bf16/flat/e302592",
                      "self_attention.attention select_sum_k add/native/bf16/flat/e907776",
                      "self_attention.attention select_fill_q zero/native/bf16/flat/e907776",
                      "self_attention.attention select_copy_q copy/native/bf16/flat/e302592",
                      "self_attention.attention select_sum_q add/native/bf16/flat/e907776",
                      "self_attention.in_proj permute_qkv_grad permute/native/bf16/flat/a3b394c768",
                      "self_attention.in_proj dgrad gemm_dgrad/cublaslt/bf16/row/m394n2304k768",
                      "self_attention.in_proj wgrad gemm_wgrad/cublaslt/bf16/row/m394n2304k768",
                      "self_attention.in_proj bias_grad bias_grad/native/bf16/row/m394n2304",
                      "self_attention.in_proj cast_grad_weight cast/native/bf16-fp32/flat/e1769472",
                      "self_attention.in_proj cast_grad_bias cast/native/bf16-fp32/flat/e2304",
                      "self_attention.in_proj cast_input_grad cast/native/bf16-fp32/flat/e302592",
                      "ln_1 permute_grad permute/native/fp32/flat/a197b2c768",
                      "ln_1 permute_input_bwd permute/native/fp32/flat/a197b2c768",
                      "ln_1 bwd layernorm_bwd/native/fp32/row/m394n768",
                      "ln_1 accumulate add/native/fp32/flat/e302592"};
  EXPECT_EQ(lines(vit(DType::bf16), Phase::backward, "encoder.1."), expected);
}

// The first block reads what the embedding wrote, which lies as the layer norm wants it.
TEST(EagerToken, FirstLayerNormCopiesItsGradientButNotItsInput) {
  const std::vector<PlacedOp> ops = vit(DType::fp16);
  EXPECT_EQ(lines(ops, Phase::forward, "encoder.0.ln_1"),
            Text{" fwd layernorm_fwd/native/fp32/row/m394n768"});
  EXPECT_EQ(lines(ops, Phase::backward, "encoder.0.ln_1"),
            (Text{" permute_grad permute/native/fp32/flat/a197b2c768",
                  " bwd layernorm_bwd/native/fp32/row/m394n768",
                  " accumulate add/native/fp32/flat/e302592"}));
}

// 2 * 3 * 224 * 224 = 301 056 of the images; 768 * 3 * 256 = 589 824 of the weight; 392 patches of
// 768 are 301 056 too; two class tokens 1536.
TEST(EagerToken, EmbeddingStaysNchwAndConcatenatesByTwoCopies) {
  const std::vector<PlacedOp> ops = vit(DType::bf16);
  EXPECT_EQ(lines(ops, Phase::forward, "input"), Text{" cast cast/native/fp32-bf16/flat/e301056"});
  EXPECT_EQ(lines(ops, Phase::forward, "conv_proj"),
            (Text{" cast_weight cast/native/fp32-bf16/flat/e589824",
                  " cast_bias cast/native/fp32-bf16/flat/e768",
                  " fprop conv_fprop/cudnn/bf16/nchw/n2c3h224w224k768r16s16u16p0",
                  " bias_add bias_add/native/bf16/row/m392n768"}));
  EXPECT_EQ(lines(ops, Phase::forward, "tokens"),
            (Text{" cat_class copy/native/fp32/flat/e1536",
                  " cat_patches cast/native/bf16-fp32/flat/e301056",
                  " add_position add/native/fp32/flat/e302592"}));
  EXPECT_EQ(lines(ops, Phase::backward, "tokens"),
            (Text{" grad_position bias_grad/native/fp32/row/m2n151296",
                  " grad_class bias_grad/native/fp32/row/m2n768",
                  " cast_patches_grad cast/native/fp32-bf16/flat/e301056"}));
  EXPECT_EQ(lines(ops, Phase::backward, "conv_proj"),
            (Text{" permute_grad permute/native/bf16/flat/a392b768c1",
                  " wgrad conv_wgrad/cudnn/bf16/nchw/n2c3h224w224k768r16s16u16p0",
                  " bias_grad bias_grad/native/bf16/row/m392n768",
                  " cast_grad_weight cast/native/bf16-fp32/flat/e589824",
                  " cast_grad_bias cast/native/bf16-fp32/flat/e768"}));
}

TEST(EagerToken, HeadCastsItsClassTokens) {
  const std::vector<PlacedOp> ops = vit(DType::bf16);
  EXPECT_EQ(lines(ops, Phase::forward, "encoder.ln"),
            (Text{" permute_input permute/native/fp32/flat/a197b2c768",
                  " fwd layernorm_fwd/native/fp32/row/m394n768"}));
  EXPECT_EQ(lines(ops, Phase::forward, "select_token"), Text{});
  EXPECT_EQ(lines(ops, Phase::forward, "head"),
            (Text{" cast_weight cast/native/fp32-bf16/flat/e768000",
                  " cast_bias cast/native/fp32-bf16/flat/e1000",
                  " cast_input cast/native/fp32-bf16/flat/e1536",
                  " fprop gemm_fprop+bias/cublaslt/bf16/row/m2n1000k768"}));
  EXPECT_EQ(
      lines(ops, Phase::backward, "select_token"),
      (Text{" fill_grad zero/native/fp32/flat/e302592", " copy_grad copy/native/fp32/flat/e1536"}));
  EXPECT_EQ(lines(ops, Phase::backward, "encoder.ln"),
            (Text{" permute_input_bwd permute/native/fp32/flat/a197b2c768",
                  " bwd layernorm_bwd/native/fp32/row/m394n768"}));
}

// TF32 is for GEMM; PyTorch's fp32 attention does without it.
TEST(EagerToken, Tf32HasNoCastsAndAttentionInFp32) {
  const std::vector<PlacedOp> ops = vit(DType::tf32);
  EXPECT_EQ(kernels_of(ops, Family::cast), 0);
  EXPECT_EQ(lines(ops, Phase::forward, "encoder.0.self_attention."),
            (Text{"in_proj permute_input permute/native/fp32/flat/a2b197c768",
                  "in_proj fprop gemm_fprop/cublaslt/tf32/row/m394n2304k768",
                  "in_proj bias_add bias_add/native/fp32/row/m394n2304",
                  "in_proj permute_qkv permute/native/fp32/flat/a394b3c768",
                  "attention fwd attention_fwd/cublaslt/fp32/sbhd/b2h12s197d64",
                  "out_proj fprop gemm_fprop+bias/cublaslt/tf32/row/m394n768k768"}));
  EXPECT_EQ(
      lines(ops, Phase::forward, "tokens"),
      (Text{" cat copy/native/fp32/flat/e302592", " add_position add/native/fp32/flat/e302592"}));
}

/// Parameters of a layer in the order in which their gradients are ready.
Text ready(const Model& model, const std::vector<PlacedOp>& ops, std::string_view layer) {
  Text names;
  for (const PlacedOp& placed : ops) {
    if (placed.phase != Phase::backward || placed.layer != layer) continue;
    for (const std::int64_t parameter : placed.ready) {
      names.push_back(model.parameters[static_cast<std::size_t>(parameter)].name);
    }
  }
  return names;
}

TEST(EagerToken, CastsTurnTheOrderInWhichALinearLayersGradientsAreReady) {
  const Model model = make_model("vit_b_16");
  EXPECT_EQ(ready(model, vit(DType::bf16, true), "head"),
            (Text{"heads.head.weight", "heads.head.bias"}));
  EXPECT_EQ(ready(model, vit(DType::fp32, true), "head"),
            (Text{"heads.head.bias", "heads.head.weight"}));
  EXPECT_EQ(ready(model, vit(DType::fp32, true), "conv_proj"),
            (Text{"conv_proj.weight", "conv_proj.bias"}));
  EXPECT_EQ(ready(model, vit(DType::bf16, true), "tokens"),
            (Text{"encoder.pos_embedding", "class_token"}));
}

// Without DDP, the op that completes a gradient says so.
TEST(EagerToken, GradientIsReadyWithItsCastWhereNothingCopiesItIn) {
  const std::vector<PlacedOp> ops = vit(DType::bf16);
  const auto last = std::find_if(ops.begin(), ops.end(), [](const PlacedOp& placed) {
    return placed.layer == "head" && !placed.ready.empty();
  });
  ASSERT_NE(last, ops.end());
  EXPECT_EQ(last->role, "cast_grad_weight");
  EXPECT_EQ(last->ready, std::vector<std::int64_t>{150});
}

}  // namespace
}  // namespace stepcast
