// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>

#include "core/cuda/kernel_names.hpp"
#include "core/cuda/libraries.hpp"
#include "layers/operands.hpp"
#include "layers/plans/plan.hpp"
#include "tests/layers/plans/device_tensors.hpp"
#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {
namespace {

using ConvCudnn = PlanTest;

/// A shape, and how many of its candidates are run in each direction.
struct Case {
  const char* shape;
  std::size_t candidates;
};

// Channels of at most 64 keep the sums short, and the CPU fast.
constexpr std::array<Case, 7> kCases{{{"n2c16h9w9k32r3s3u1p1", 8},
                                      {"n2c16h10w10k16r3s3u2p1", 2},
                                      {"n2c3h19w17k8r7s7u2p3", 2},
                                      {"n2c64h7w5k24r1s1u1p0", 8},
                                      {"n2c32h8w6k64r1s1u2p0", 1},
                                      {"n1c32h6w6k32r3s3u1p1g4", 2},
                                      {"n1c8h12w4k16r4s2u1p0", 1}}};

void check_all(const std::string& types, const std::string& layout) {
  for (const char* family : {"conv_fprop", "conv_dgrad", "conv_wgrad"}) {
    for (const Case& c : kCases) {
      check_plan(fmt::format("{}/cudnn/{}/{}/{}", family, types, layout, c.shape),
                 {.most_candidates = c.candidates});
    }
  }
}

TEST_F(ConvCudnn, Fp16InNhwcMatchesTheReference) { check_all("fp16", "nhwc"); }
TEST_F(ConvCudnn, Fp16InNchwMatchesTheReference) { check_all("fp16", "nchw"); }
TEST_F(ConvCudnn, Bf16InNhwcMatchesTheReference) { check_all("bf16", "nhwc"); }
TEST_F(ConvCudnn, Bf16InNchwMatchesTheReference) { check_all("bf16", "nchw"); }
TEST_F(ConvCudnn, Tf32InNhwcMatchesTheReference) { check_all("tf32", "nhwc"); }
TEST_F(ConvCudnn, Tf32InNchwMatchesTheReference) { check_all("tf32", "nchw"); }

// The tolerance of fp32 is 64 times narrower than TF32's errors: no candidate multiplies in TF32.
TEST_F(ConvCudnn, Fp32InNhwcMatchesTheReference) { check_all("fp32", "nhwc"); }
TEST_F(ConvCudnn, Fp32InNchwMatchesTheReference) { check_all("fp32", "nchw"); }

TEST_F(ConvCudnn, ChannelsThatAreNoMultipleOfEightMatchTheReference) {
  for (const char* family : {"conv_fprop", "conv_dgrad", "conv_wgrad"}) {
    check_plan(fmt::format("{}/cudnn/fp32/nchw/n2c5h9w9k7r3s3u1p1", family));
    check_plan(fmt::format("{}/cudnn/tf32/nhwc/n2c5h9w9k7r3s3u1p1", family));
  }
}

TEST_F(ConvCudnn, NotesTellEnginesWithTensorCores) {
  const Op op = parse("conv_fprop/cudnn/fp16/nhwc/n8c64h28w28k64r3s3u1p1");
  const DeviceTensors tensors(operands(op));
  const PlanOrReason made = make_plan(test_libraries(), op, tensors.buffers());
  ASSERT_NE(made.plan, nullptr) << made.reason;
  bool told = false;
  for (std::size_t rank = 0; rank < made.plan->candidates(); ++rank) {
    if (!made.plan->select(rank)) continue;
    const std::string notes = made.plan->notes();
    EXPECT_EQ(notes.find("down_convert_inputs"), std::string::npos) << notes;
    told = told || notes.find("tensor_core") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

// Engines for Hopper launch their kernels before those ahead of them have ended. A graph of which
// some nodes are turned off made these fail.
TEST_F(ConvCudnn, HiddenConversionsAreTimedWithoutLosingTheGpu) {
  const Op op = parse("conv_dgrad/cudnn/bf16/nchw/n128c128h28w28k128r3s3u1p1");
  const DeviceTensors tensors(operands(op));
  const PlanOrReason made = make_plan(test_libraries(), op, tensors.buffers());
  ASSERT_NE(made.plan, nullptr) << made.reason;
  const Stream stream = make_stream();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    if (!made.plan->select(rank)) continue;
    const KernelCensus found =
        census([&](cudaStream_t on) { made.plan->enqueue(on); }, stream.get());
    EXPECT_EQ(found.reason, "") << made.plan->name();
    EXPECT_FALSE(found.kernels.empty());
    EXPECT_GE(found.conversion_share, 0);
    EXPECT_LT(found.conversion_share, 1);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << made.plan->name();
  }
}

}  // namespace
}  // namespace stepcast
