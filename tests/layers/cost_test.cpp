// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/cost.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stepcast {
namespace {

double flop(std::string_view key) { return cost(parse(key)).flop.count(); }
double bytes(std::string_view key) { return cost(parse(key)).least_bytes.count(); }
std::int64_t launches(std::string_view key) { return kernels(parse(key)); }

// ResNet's layer1 conv2 at batch 32: 64 channels to 64 at 56x56 by 3x3.
// Multiply-adds: 32 * 64 * 56 * 56 * 64 * 9 = 3 699 376 128. x and y 6 422 528 elements each, w
// 36 864: (2 * 6 422 528 + 36 864) * 2 bytes = 25 763 840.
TEST(Cost, OfAResNetConvolutionByHand) {
  const char* key = "conv_fprop/cudnn/bf16/nhwc/n32c64h56w56k64r3s3u1p1";
  EXPECT_EQ(flop(key), 2.0 * 3699376128.0);
  EXPECT_EQ(bytes(key), 25763840.0);
  EXPECT_EQ(cost(parse(key)).flop_formula, "2 n k H W (c/g) r s");
  EXPECT_EQ(cost(parse(key)).bytes_formula, "x + w + y");
}

// ResNet's conv1, one image: 64 * 112 * 112 * 3 * 49 = 118 013 952 multiply-adds.
TEST(Cost, OfAStridedConvolutionCountsItsOutputPlaces) {
  EXPECT_EQ(flop("conv_fprop/cudnn/fp32/nchw/n1c3h224w224k64r7s7u2p3"), 2.0 * 118013952.0);
}

TEST(Cost, OfAConvolutionIsTheSameArithmeticInAllDirections) {
  const std::string rest = "/cudnn/bf16/nhwc/n32c64h56w56k256r1s1u1p0";
  const double forward = flop("conv_fprop" + rest);
  EXPECT_EQ(flop("conv_dgrad" + rest), forward);
  EXPECT_EQ(flop("conv_wgrad" + rest), forward);
  EXPECT_EQ(bytes("conv_dgrad" + rest), bytes("conv_fprop" + rest));
  EXPECT_EQ(bytes("conv_wgrad" + rest), bytes("conv_fprop" + rest));
}

TEST(Cost, OfGroupsDivideTheArithmetic) {
  EXPECT_EQ(flop("conv_fprop/cudnn/bf16/nhwc/n1c8h8w8k8r3s3u1p1g4") * 4.0,
            flop("conv_fprop/cudnn/bf16/nhwc/n1c8h8w8k8r3s3u1p1"));
}

// ViT-B/16's first MLP layer at batch 128: m 25 216, n 3072, k 768.
// Multiply-adds: 25 216 * 2 359 296 = 59 492 007 936. Elements: x 19 365 888, w 2 359 296, y
// 77 463 552, together 99 188 736.
TEST(Cost, OfAGemmByHand) {
  EXPECT_EQ(flop("gemm_fprop/cublaslt/bf16/row/m25216n3072k768"), 2.0 * 59492007936.0);
  EXPECT_EQ(bytes("gemm_fprop/cublaslt/bf16/row/m25216n3072k768"), 2.0 * 99188736.0);
  EXPECT_EQ(flop("gemm_dgrad/cublaslt/bf16/row/m25216n3072k768"), 2.0 * 59492007936.0);
  EXPECT_EQ(flop("gemm_wgrad/cublaslt/bf16/row/m25216n3072k768"), 2.0 * 59492007936.0);
}

// m 2, n 3, k 4: 48 FLOP in the product; 6 results, 8 data gradients, 3 biases.
TEST(Cost, OfAnEpilogueIsAddedToTheProduct) {
  EXPECT_EQ(flop("gemm_fprop+bias/cublaslt/bf16/row/m2n3k4"), 48.0 + 6.0);
  EXPECT_EQ(flop("gemm_fprop+bias_gelu/cublaslt/bf16/row/m2n3k4"), 48.0 + 36.0);
  EXPECT_EQ(flop("gemm_dgrad+dgelu/cublaslt/bf16/row/m2n3k4"), 48.0 + 88.0);
  EXPECT_EQ(flop("gemm_wgrad+bgrad/cublaslt/bf16/row/m2n3k4"), 48.0 + 6.0);
  EXPECT_EQ(bytes("gemm_fprop/cublaslt/bf16/row/m2n3k4"), 2.0 * (8 + 12 + 6));
  EXPECT_EQ(bytes("gemm_fprop+bias_gelu/cublaslt/bf16/row/m2n3k4"), 2.0 * (8 + 12 + 3 + 6 + 6));
  EXPECT_EQ(bytes("gemm_wgrad+bgrad/cublaslt/bf16-fp32/row/m2n3k4"), 2.0 * (6 + 8) + 4.0 * 15);
}

// b 2, h 3, s 5, d 8: one product is 2 * 2 * 3 * 25 * 8 = 2400 FLOP; q has 240 elements, stats 30,
// the scores 150.
TEST(Cost, OfAttentionCountsItsProducts) {
  EXPECT_EQ(flop("attention_fwd/cudnn/bf16/bshd/b2h3s5d8"), 2 * 2400.0);
  EXPECT_EQ(flop("attention_bwd/cudnn/bf16/bshd/b2h3s5d8"), 5 * 2400.0);
  EXPECT_EQ(flop("attention_fwd/cublaslt/bf16/bshd/b2h3s5d8"), 2 * 2400.0);
  EXPECT_EQ(flop("attention_bwd/cublaslt/bf16/bshd/b2h3s5d8"), 4 * 2400.0);
}

TEST(Cost, OfUnfusedAttentionAlsoMovesTheScores) {
  EXPECT_EQ(bytes("attention_fwd/cudnn/bf16/bshd/b2h3s5d8"), 2.0 * 4 * 240 + 4.0 * 30);
  EXPECT_EQ(bytes("attention_bwd/cudnn/bf16/bshd/b2h3s5d8"), 2.0 * 8 * 240 + 4.0 * 30);
  EXPECT_EQ(bytes("attention_fwd/cublaslt/bf16/bshd/b2h3s5d8"),
            2.0 * 4 * 240 + 4.0 * 30 + 2.0 * 4 * 150);
  EXPECT_EQ(bytes("attention_bwd/cublaslt/bf16/bshd/b2h3s5d8"),
            2.0 * 8 * 240 + 4.0 * 30 + 2.0 * 7 * 150);
  EXPECT_EQ(cost(parse("attention_fwd/cublaslt/bf16/bshd/b2h3s5d8")).bytes_formula,
            "q + k + v + o + stats + 4 scores");
}

// 120 elements, 3 channels.
TEST(Cost, OfBatchNormReadsTwiceWhatItMustSumFirst) {
  EXPECT_EQ(flop("batchnorm_fwd/cudnn/fp16/nhwc/n2c3h4w5"), 5.0 * 120);
  EXPECT_EQ(flop("batchnorm_fwd+add_relu/cudnn/fp16/nhwc/n2c3h4w5"), 7.0 * 120);
  EXPECT_EQ(flop("batchnorm_bwd/cudnn/fp16/nhwc/n2c3h4w5"), 9.0 * 120);
  EXPECT_EQ(flop("batchnorm_bwd+add_relu/cudnn/fp16/nhwc/n2c3h4w5"), 10.0 * 120);
  // gamma, beta, both running statistics read and written, both saved statistics: 8 * 3 * 4 bytes.
  EXPECT_EQ(bytes("batchnorm_fwd/cudnn/fp16/nhwc/n2c3h4w5"), 3 * 240.0 + 96.0);
  EXPECT_EQ(bytes("batchnorm_fwd+add_relu/cudnn/fp16/nhwc/n2c3h4w5"), 4 * 240.0 + 96.0);
  // gamma, both saved statistics, dgamma, dbeta: 5 * 3 * 4 bytes.
  EXPECT_EQ(bytes("batchnorm_bwd/cudnn/fp16/nhwc/n2c3h4w5"), 5 * 240.0 + 60.0);
  EXPECT_EQ(bytes("batchnorm_bwd+relu/cudnn/fp16/nhwc/n2c3h4w5"), 7 * 240.0 + 60.0);
  EXPECT_EQ(bytes("batchnorm_bwd+add_relu/cudnn/fp16/nhwc/n2c3h4w5"), 7 * 240.0 + 60.0);
  EXPECT_EQ(cost(parse("batchnorm_bwd/cudnn/fp16/nhwc/n2c3h4w5")).bytes_formula,
            "2 dy + 2 x + gamma + save_mean + save_invstd + dx + dgamma + dbeta");
}

TEST(Cost, OfBatchNormIsTheSameForAllProviders) {
  EXPECT_EQ(bytes("batchnorm_fwd/native/fp16/nhwc/n2c3h4w5"),
            bytes("batchnorm_fwd/cudnn/fp16/nhwc/n2c3h4w5"));
  EXPECT_EQ(flop("batchnorm_bwd/native/fp16/nchw/n2c3h4w5"),
            flop("batchnorm_bwd/cuda/fp16/nhwc/n2c3h4w5"));
}

// 24 elements in 4 rows of 6.
TEST(Cost, OfLayerNormReadsEachOperandOnce) {
  EXPECT_EQ(flop("layernorm_fwd/native/fp32/row/m4n6"), 7.0 * 24);
  EXPECT_EQ(flop("layernorm_bwd/native/fp32/row/m4n6"), 13.0 * 24);
  EXPECT_EQ(bytes("layernorm_fwd/native/fp32/row/m4n6"), 4.0 * (24 + 24 + 2 * 6 + 2 * 4));
  EXPECT_EQ(bytes("layernorm_bwd/native/fp32/row/m4n6"), 4.0 * (3 * 24 + 3 * 6 + 2 * 4));
}

TEST(Cost, OfElementwiseOps) {
  EXPECT_EQ(flop("add/native/bf16-fp32/flat/e10"), 10.0);
  EXPECT_EQ(bytes("add/native/bf16-fp32/flat/e10"), 20.0 + 40.0 + 40.0);
  EXPECT_EQ(flop("cast/native/fp32-bf16/flat/e10"), 0.0);
  EXPECT_EQ(bytes("cast/native/fp32-bf16/flat/e10"), 40.0 + 20.0);
  EXPECT_EQ(bytes("zero/native/fp32/flat/e10"), 40.0);
  EXPECT_EQ(bytes("increment/native/int64/flat/e1"), 16.0);
  EXPECT_EQ(flop("gelu_fwd/native/bf16/flat/e10"), 50.0);
  EXPECT_EQ(flop("gelu_bwd/native/bf16/flat/e10"), 110.0);
  EXPECT_EQ(bytes("relu_bwd/native/bf16/flat/e10"), 60.0);
  EXPECT_EQ(bytes("permute/native/fp32/flat/a2b3c4"), 2 * 24 * 4.0);
  EXPECT_EQ(bytes("bias_add/native/bf16/row/m3n5"), 2.0 * (2 * 15 + 5));
  EXPECT_EQ(bytes("bias_grad/native/bf16/row/m3n5"), 2.0 * (15 + 5));
}

// 72 elements; 3x3 windows at stride 2, padding 1: 18 results.
TEST(Cost, OfPoolingLeavesOutWhatOnlyPreparationReads) {
  EXPECT_EQ(flop("maxpool_fwd/native/bf16/nhwc/n1c2h6w6r3u2p1"), 18.0 * 9);
  EXPECT_EQ(bytes("maxpool_fwd/native/bf16/nhwc/n1c2h6w6r3u2p1"), 2.0 * (72 + 18) + 8.0 * 18);
  EXPECT_EQ(bytes("maxpool_bwd/native/bf16/nhwc/n1c2h6w6r3u2p1"), 2.0 * (18 + 72) + 8.0 * 18);
  EXPECT_EQ(bytes("maxpool_bwd/cuda/bf16/nhwc/n1c2h6w6r3u2p1"), 2.0 * (18 + 72) + 1.0 * 18);
  EXPECT_EQ(flop("avgpool_fwd/native/bf16/nhwc/n2c8h7w7r7u1p0"), 16.0 * 49);
  EXPECT_EQ(flop("avgpool_bwd/native/bf16/nhwc/n2c8h7w7r7u1p0"), 16.0 * 50);
}

TEST(Cost, OfCrossEntropyBackwardReadsLogprobAndNotLogits) {
  EXPECT_EQ(flop("cross_entropy_fwd/native/fp32/row/m4n10"), 5.0 * 40 + 4);
  EXPECT_EQ(bytes("cross_entropy_fwd/native/fp32/row/m4n10"), 4.0 * (40 + 40 + 1) + 8.0 * 4);
  EXPECT_EQ(bytes("cross_entropy_bwd/native/fp32/row/m4n10"), 4.0 * (40 + 40) + 8.0 * 4);
  EXPECT_EQ(cost(parse("cross_entropy_bwd/native/fp32/row/m4n10")).bytes_formula,
            "label + logprob + dlogits");
}

TEST(Cost, OfSgdIsFivePassesOverTheWeights) {
  EXPECT_EQ(flop("sgd/native/fp32/flat/e1000t3"), 4000.0);
  EXPECT_EQ(bytes("sgd/native/fp32/flat/e1000t3"), 5 * 4 * 1000.0);
  EXPECT_EQ(cost(parse("sgd/native/fp32/flat/e1000t3")).bytes_formula,
            "2 weight + gradient + 2 momentum");
  EXPECT_EQ(bytes("unscale/native/fp32/flat/e1000t3"), 2 * 4 * 1000.0 + 8.0);
}

TEST(Kernels, AreOneWhereALibraryOrAFusedKernelDoesTheWork) {
  EXPECT_EQ(launches("conv_fprop/cudnn/bf16/nhwc/n32c64h56w56k64r3s3u1p1"), 1);
  EXPECT_EQ(launches("gemm_wgrad+bgrad/cublaslt/bf16/row/m2n3k4"), 1);
  EXPECT_EQ(launches("batchnorm_fwd/cudnn/fp16/nhwc/n2c3h4w5"), 1);
  EXPECT_EQ(launches("batchnorm_bwd/cudnn/fp16/nhwc/n2c3h4w5"), 1);
  EXPECT_EQ(launches("layernorm_fwd/cuda/fp32/row/m4n6"), 1);
  EXPECT_EQ(launches("cast/native/fp32-bf16/flat/e10"), 1);
  EXPECT_EQ(launches("sgd/cuda/fp32/flat/e60192808t467"), 1);
}

// pytorch-eager: batch norm of ResNet in bf16 channels-last has five kernels a layer.
TEST(Kernels, OfNativeBatchNormAreFiveALayerInChannelsLast) {
  EXPECT_EQ(launches("batchnorm_fwd/native/bf16/nhwc/n2c3h4w5"), 3);
  EXPECT_EQ(launches("batchnorm_bwd/native/bf16/nhwc/n2c3h4w5"), 2);
  EXPECT_EQ(launches("batchnorm_fwd/native/bf16/nchw/n2c3h4w5"), 3);
  EXPECT_EQ(launches("batchnorm_bwd/native/bf16/nchw/n2c3h4w5"), 1);
}

// Layer norm of ViT-B/16 has 75 kernels a step in 25 layers: one forward, two backward.
TEST(Kernels, OfNativeLayerNormAreThreeALayer) {
  EXPECT_EQ(launches("layernorm_fwd/native/fp32/row/m4n6"), 1);
  EXPECT_EQ(launches("layernorm_bwd/native/fp32/row/m4n6"), 2);
}

// Our own: sums by all blocks, which the last block adds, then a second pass over the data.
TEST(Kernels, OfOurOwnNormsAreTwoWhereAPassNeedsTheSumsOfAnother) {
  EXPECT_EQ(launches("batchnorm_fwd/cuda/bf16/nhwc/n2c3h4w5"), 2);
  EXPECT_EQ(launches("batchnorm_bwd/cuda/bf16/nhwc/n2c3h4w5"), 2);
  EXPECT_EQ(launches("batchnorm_bwd/cuda/bf16/nchw/n2c3h4w5"), 2);
  EXPECT_EQ(launches("layernorm_bwd/cuda/bf16/row/m4n6"), 2);
}

TEST(Kernels, OfAttention) {
  EXPECT_EQ(launches("attention_fwd/cudnn/bf16/bshd/b2h3s5d8"), 1);
  EXPECT_EQ(launches("attention_bwd/cudnn/bf16/bshd/b2h3s5d8"), 3);
  // Two products (backward four) and a softmax; in bshd a product is a launch for each of 3 heads.
  EXPECT_EQ(launches("attention_fwd/cublaslt/bf16/sbhd/b2h3s5d8"), 3);
  EXPECT_EQ(launches("attention_bwd/cublaslt/bf16/sbhd/b2h3s5d8"), 5);
  EXPECT_EQ(launches("attention_fwd/cublaslt/bf16/bshd/b2h3s5d8"), 7);
  EXPECT_EQ(launches("attention_bwd/cublaslt/bf16/bshd/b2h3s5d8"), 13);
}

TEST(Kernels, OfNativeCrossEntropyAreTwoEachWay) {
  EXPECT_EQ(launches("cross_entropy_fwd/native/fp32/row/m4n10"), 2);
  EXPECT_EQ(launches("cross_entropy_bwd/native/fp32/row/m4n10"), 2);
  EXPECT_EQ(launches("cross_entropy_fwd/cuda/fp32/row/m4n10"), 1);
}

// ResNet-152: 467 + 60 192 808 / 65 536 = 467 + 918 = 1385 chunks, in launches of 320: 5 a pass.
TEST(Kernels, OfNativeSgdAreThreePassesOfChunks) {
  EXPECT_EQ(launches("sgd/native/fp32/flat/e60192808t467"), 15);
  EXPECT_EQ(launches("unscale/native/fp32/flat/e60192808t467"), 5);
  EXPECT_EQ(launches("unscale/native/fp32/flat/e10t320"), 1);
  EXPECT_EQ(launches("unscale/native/fp32/flat/e10t321"), 2);
}

}  // namespace
}  // namespace stepcast
