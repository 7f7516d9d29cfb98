// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipes/eager.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "comm/buckets.hpp"
#include "tests/layers/recipes/step_text.hpp"

namespace stepcast {
namespace {

std::vector<PlacedOp> step(std::string_view model, DType precision, std::int64_t batch,
                           bool ddp = false, Layout layout = Layout::nhwc) {
  return step_ops(make_model(model), options(RecipeKind::eager, precision, batch, ddp, layout));
}

// The second bottleneck of layer1, two images of 56 x 56 = 3136 pixels: 64 channels are 401 408
// elements, 256 are 1 605 632; weights 256 * 64 = 16 384 and 64 * 64 * 9 = 36 864.
TEST(Eager, BottleneckForwardIsCastConvNormReluAndSum) {
  const std::vector<std::string> expected{
      "conv1 cast_weight cast/native/fp32-bf16/flat/e16384",
      "conv1 fprop conv_fprop/cudnn/bf16/nhwc/n2c256h56w56k64r1s1u1p0",
      "bn1 increment increment/native/int64/flat/e1",
      "bn1 fill_stats_fwd zero/native/fp32/flat/e2",
      "bn1 fwd batchnorm_fwd/native/bf16/nhwc/n2c64h56w56",
      "relu1 fwd relu_fwd/native/bf16/flat/e401408",
      "conv2 cast_weight cast/native/fp32-bf16/flat/e36864",
      "conv2 fprop conv_fprop/cudnn/bf16/nhwc/n2c64h56w56k64r3s3u1p1",
      "bn2 increment increment/native/int64/flat/e1",
      "bn2 fill_stats_fwd zero/native/fp32/flat/e2",
      "bn2 fwd batchnorm_fwd/native/bf16/nhwc/n2c64h56w56",
      "relu2 fwd relu_fwd/native/bf16/flat/e401408",
      "conv3 cast_weight cast/native/fp32-bf16/flat/e16384",
      "conv3 fprop conv_fprop/cudnn/bf16/nhwc/n2c64h56w56k256r1s1u1p0",
      "bn3 increment increment/native/int64/flat/e1",
      "bn3 fill_stats_fwd zero/native/fp32/flat/e8",
      "bn3 fwd batchnorm_fwd/native/bf16/nhwc/n2c256h56w56",
      "add fwd add/native/bf16/flat/e1605632",
      "relu3 fwd relu_fwd/native/bf16/flat/e1605632"};
  EXPECT_EQ(lines(step("resnet50", DType::bf16, 2), Phase::forward, "layer1.1."), expected);
}

TEST(Eager, BottleneckBackwardCopiesEachGradientIntoItsBucket) {
  const std::vector<std::string> expected{
      "relu3 bwd relu_bwd/native/fp16/flat/e1605632",
      "bn3 bwd batchnorm_bwd/cudnn/fp16/nhwc/n2c256h56w56",
      "bn3 copy_in_weight scale/native/fp32/flat/e256",
      "bn3 copy_in_bias scale/native/fp32/flat/e256",
      "conv3 dgrad conv_dgrad/cudnn/fp16/nhwc/n2c64h56w56k256r1s1u1p0",
      "conv3 wgrad conv_wgrad/cudnn/fp16/nhwc/n2c64h56w56k256r1s1u1p0",
      "conv3 cast_grad_weight cast/native/fp16-fp32/flat/e16384",
      "conv3 copy_in_weight scale/native/fp32/flat/e16384",
      "relu2 bwd relu_bwd/native/fp16/flat/e401408",
      "bn2 bwd batchnorm_bwd/cudnn/fp16/nhwc/n2c64h56w56",
      "bn2 copy_in_weight scale/native/fp32/flat/e64",
      "bn2 copy_in_bias scale/native/fp32/flat/e64",
      "conv2 dgrad conv_dgrad/cudnn/fp16/nhwc/n2c64h56w56k64r3s3u1p1",
      "conv2 wgrad conv_wgrad/cudnn/fp16/nhwc/n2c64h56w56k64r3s3u1p1",
      "conv2 cast_grad_weight cast/native/fp16-fp32/flat/e36864",
      "conv2 copy_in_weight scale/native/fp32/flat/e36864",
      "relu1 bwd relu_bwd/native/fp16/flat/e401408",
      "bn1 bwd batchnorm_bwd/cudnn/fp16/nhwc/n2c64h56w56",
      "bn1 copy_in_weight scale/native/fp32/flat/e64",
      "bn1 copy_in_bias scale/native/fp32/flat/e64",
      "conv1 dgrad conv_dgrad/cudnn/fp16/nhwc/n2c256h56w56k64r1s1u1p0",
      "conv1 wgrad conv_wgrad/cudnn/fp16/nhwc/n2c256h56w56k64r1s1u1p0",
      "conv1 accumulate add/native/fp16/flat/e1605632",
      "conv1 cast_grad_weight cast/native/fp16-fp32/flat/e16384",
      "conv1 copy_in_weight scale/native/fp32/flat/e16384"};
  EXPECT_EQ(lines(step("resnet50", DType::fp16, 2, true), Phase::backward, "layer1.1."), expected);
}

// In fp32 nothing is cast; the products alone become TF32. NCHW images, cuDNN's batch norm.
TEST(Eager, StemInTf32HasNoCastsAndNoDataGradient) {
  const std::vector<PlacedOp> ops = step("resnet50", DType::tf32, 2, false, Layout::nchw);
  EXPECT_EQ(ops.front().layer, "conv1");
  EXPECT_EQ(lines(ops, Phase::forward, "conv1"),
            std::vector<std::string>{" fprop conv_fprop/cudnn/tf32/nchw/n2c3h224w224k64r7s7u2p3"});
  EXPECT_EQ(lines(ops, Phase::backward, "conv1"),
            std::vector<std::string>{" wgrad conv_wgrad/cudnn/tf32/nchw/n2c3h224w224k64r7s7u2p3"});
  EXPECT_EQ(lines(ops, Phase::forward, "bn1"),
            (std::vector<std::string>{" increment increment/native/int64/flat/e1",
                                      " fwd batchnorm_fwd/cudnn/fp32/nchw/n2c64h112w112"}));
}

// 2 * 64 * 112 * 112 = 1 605 632.
TEST(Eager, MaxPoolZeroesItsGradientFirst) {
  EXPECT_EQ(lines(step("resnet50", DType::bf16, 2), Phase::backward, "maxpool"),
            (std::vector<std::string>{" fill_grad zero/native/bf16/flat/e1605632",
                                      " bwd maxpool_bwd/native/bf16/nhwc/n2c64h112w112r3u2p1"}));
}

TEST(Eager, BatchNormInBf16NchwNeedsNoFill) {
  const std::vector<PlacedOp> ops = step("resnet152", DType::bf16, 2, false, Layout::nchw);
  EXPECT_EQ(lines(ops, Phase::backward, "bn1"),
            std::vector<std::string>{" bwd batchnorm_bwd/native/bf16/nchw/n2c64h112w112"});
  EXPECT_EQ(kernels_of(ops, OpClass::norm), 155 * (3 + 1));
}

TEST(Eager, LossIsCastInBf16AndScaledInFp16) {
  EXPECT_EQ(lines(step("resnet50", DType::bf16, 2), Phase::forward, "loss"),
            (std::vector<std::string>{" cast_logits cast/native/bf16-fp32/flat/e2000",
                                      " fwd cross_entropy_fwd/native/fp32/row/m2n1000"}));
  EXPECT_EQ(lines(step("resnet50", DType::bf16, 2), Phase::backward, "loss"),
            (std::vector<std::string>{" fill_loss_grad zero/native/fp32/flat/e1",
                                      " fill_nll_grad zero/native/fp32/flat/e2000",
                                      " bwd cross_entropy_bwd/native/fp32/row/m2n1000",
                                      " cast_logits_grad cast/native/fp32-bf16/flat/e2000"}));
  const std::vector<PlacedOp> fp16 = step("resnet50", DType::fp16, 2);
  EXPECT_EQ(lines(fp16, Phase::forward, "loss"),
            (std::vector<std::string>{" fwd cross_entropy_fwd/native/fp16-fp32/row/m2n1000",
                                      " scale_loss scale/native/fp32/flat/e1"}));
  EXPECT_EQ(lines(fp16, Phase::backward, "loss"),
            (std::vector<std::string>{" fill_loss_grad zero/native/fp32/flat/e1",
                                      " scale_loss_grad scale/native/fp32/flat/e1",
                                      " fill_nll_grad zero/native/fp32/flat/e2000",
                                      " bwd cross_entropy_bwd/native/fp16/row/m2n1000"}));
  EXPECT_EQ(lines(fp16, Phase::optimizer, "optimizer"),
            (std::vector<std::string>{" inverse_scale scale/native/fp32/flat/e1 x3",
                                      " fill_found_inf zero/native/fp32/flat/e1",
                                      " unscale unscale/native/fp32/flat/e25557032t161",
                                      " sgd sgd/native/fp32/flat/e25557032t161"}));
}

// 155 batch norms: two of each size with statistics, and a counter.
TEST(Eager, DdpCopiesEveryBufferBeforeTheForwardPass) {
  const std::vector<PlacedOp> ops = step("resnet152", DType::bf16, 2, true);
  std::int64_t copies = 0;
  for (const PlacedOp& placed : ops) {
    if (placed.layer != "ddp") break;
    copies += placed.count;
  }
  EXPECT_EQ(copies, 465);
  // 64: bn1, and two in each of layer1's three blocks; 7 batch norms, mean and variance.
  EXPECT_EQ(lines(ops, Phase::forward, "ddp")[0],
            " copy_buffer_counter copy/native/int64/flat/e1 x155");
  EXPECT_EQ(lines(ops, Phase::forward, "ddp")[1], " copy_buffer_64 copy/native/fp32/flat/e64 x14");
}

TEST(Eager, DdpCopiesOutInTheOrderInWhichGradientsWereReady) {
  const std::vector<PlacedOp> ops = step("vit_b_16", DType::bf16, 2, true);
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> out;
  for (const PlacedOp& placed : ops) {
    auto& order = placed.phase == Phase::backward ? in : out;
    order.insert(order.end(), placed.ready.begin(), placed.ready.end());
  }
  EXPECT_EQ(in.size(), 152U);
  EXPECT_EQ(out, in);
  EXPECT_EQ(lines(ops, Phase::finalize, "head"),
            (std::vector<std::string>{" copy_out_weight copy/native/fp32/flat/e768000",
                                      " copy_out_bias copy/native/fp32/flat/e1000"}));
}

/// Bytes of DDP's buckets by its rule, in the order in which gradients are ready.
std::vector<double> rebuilt_buckets(std::string_view name) {
  const Model model = make_model(name);
  std::vector<std::int64_t> bytes;
  for (const PlacedOp& placed : step(name, DType::fp16, 2, true)) {
    if (placed.phase != Phase::backward) continue;
    for (const std::int64_t parameter : placed.ready) {
      bytes.push_back(4 * elements(model.parameters[static_cast<std::size_t>(parameter)]));
    }
  }
  std::vector<double> sizes;
  for (const Bucket& bucket : assign_buckets(bytes)) sizes.push_back(bucket.payload.count());
  return sizes;
}

// What PyTorch 2.11 logged as rebuilt_bucket_sizes: data/measured/h200_pytorch_buckets.csv.
TEST(Eager, GradientsAreReadyInTheOrderThatGivesPyTorchsRebuiltBuckets) {
  EXPECT_EQ(rebuilt_buckets("resnet152"),
            (std::vector<double>{8192000, 31506336, 26255360, 27863040, 26812416, 26812416,
                                 26812416, 26812416, 26556416, 13148416}));
  std::vector<double> vit(14, 28351488);
  vit[0] = 3072000;
  vit[1] = 28346272;
  vit[13] = 2985984;
  EXPECT_EQ(rebuilt_buckets("vit_b_16"), vit);
}

// Measured on one H200 with torch 2.11 at 128 images, without DDP; docs/recipes.md has the table.
TEST(Eager, LaunchesTheNormKernelsThatWereMeasuredInResNet152) {
  EXPECT_EQ(kernels_of(step("resnet152", DType::fp16, 128), OpClass::norm), 310);
  EXPECT_EQ(kernels_of(step("resnet152", DType::bf16, 128), OpClass::norm), 775);
}

// What a profiler calls elementwise: our classes elementwise and copy, and the mean's backward.
std::int64_t elementwise_kernels(const std::vector<PlacedOp>& ops) {
  return kernels_of(ops, OpClass::elementwise) + kernels_of(ops, OpClass::copy) +
         kernels_of(ops, Family::avgpool_bwd);
}

// Casts 158 and 157, ReLU 302, counters 155, residual 100: 872. fp16: mean 1, fills 3, scaler 6.
// bf16: mean 1, fills 3, logits' casts 2, batch norm's fills 310. Measured: 885 and 1189.
TEST(Eager, LaunchesTheElementwiseKernelsOfResNet152WithinThreeOfTheMeasured) {
  EXPECT_EQ(elementwise_kernels(step("resnet152", DType::fp16, 128)), 882);
  EXPECT_EQ(elementwise_kernels(step("resnet152", DType::bf16, 128)), 1188);
}

TEST(Eager, LaunchesTheKernelsThatWereMeasuredInVitB16) {
  const std::vector<PlacedOp> ops = step("vit_b_16", DType::bf16, 128);
  // The copies of one of q, k, v are contiguous: memcpy, not kernels.
  const std::int64_t slices = kernels_of(
      ops, [](const PlacedOp& placed) { return placed.role.rfind("select_copy_", 0) == 0; });
  EXPECT_EQ(slices, 36);
  EXPECT_EQ(elementwise_kernels(ops) - slices, 539);
  EXPECT_EQ(kernels_of(ops, OpClass::norm), 75);
  // Measured as `reduce`: 54 = 4 biases in 12 blocks, head, patches, position, class token, and two
  // of cross-entropy's four kernels.
  EXPECT_EQ(kernels_of(ops, Family::bias_grad), 52);
  EXPECT_EQ(kernels_of(ops, Family::cross_entropy_fwd), 2);
  EXPECT_EQ(kernels_of(ops, Family::cross_entropy_bwd), 2);
  // Measured as `attention`: 24. Two of cuDNN's three backward kernels were filed elsewhere.
  EXPECT_EQ(kernels_of(ops, Family::attention_fwd), 12);
  EXPECT_EQ(kernels_of(ops, Family::attention_bwd), 36);
  EXPECT_EQ(kernels_of(ops, OpClass::gemm), 12 * 12 + 3);
}

// Without the transforms and reductions that cuDNN and cuBLAS launch inside one op, which are not
// ops: measured 2412, 2853 and 1131.
TEST(Eager, LaunchesFewerKernelsThanWereMeasuredByTheLibrariesOwn) {
  const auto total = [](std::string_view model, DType precision) {
    const std::vector<PlacedOp> ops = step(model, precision, 128);
    return kernels_of(ops, [](const PlacedOp&) { return true; });
  };
  // Convolutions 464, fc 3, norm, elementwise, pooling and loss 3 + 4, bias 1, optimizer.
  EXPECT_EQ(total("resnet152", DType::fp16), 464 + 3 + 310 + 882 + 8 + 20);
  EXPECT_EQ(total("resnet152", DType::bf16), 464 + 3 + 775 + 1188 + 8 + 15);
  EXPECT_EQ(total("vit_b_16", DType::bf16), 2 + 147 + 48 + 75 + 539 + 36 + 56 + 15);
}

TEST(Eager, LaunchesTheSameKernelsWhateverTheBatch) {
  for (const std::string_view model : {"resnet152", "vit_b_16"}) {
    const auto all = [](const PlacedOp&) { return true; };
    EXPECT_EQ(kernels_of(step(model, DType::bf16, 1), all),
              kernels_of(step(model, DType::bf16, 128), all));
  }
}

}  // namespace
}  // namespace stepcast
