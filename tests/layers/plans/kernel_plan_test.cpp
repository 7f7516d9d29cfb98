// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_plan.hpp"

#include <string>
#include <vector>

#include "layers/cost.hpp"
#include "layers/operands.hpp"
#include "layers/plans/kernel_families.hpp"
#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {
namespace {

using KernelPlan = PlanTest;

/// Buffers that no kernel is launched on.
std::vector<void*> no_memory(const Op& op) {
  return std::vector<void*>(operands(op).size(), nullptr);
}

using Make = KernelList (*)(const Op&, Buffers, const cudaDeviceProp&);

void expect_launches(Make make, const std::string& key) {
  const Op op = parse(key);
  const std::vector<void*> buffers = no_memory(op);
  const KernelList list = make(op, buffers, test_libraries().device);
  EXPECT_EQ(static_cast<std::int64_t>(list.launches.size()), kernels(op)) << key << list.reason;
}

TEST_F(KernelPlan, OfNormsLaunchesWhatTheirCostSays) {
  for (const char* image : {"nhwc/n4c64h14w14", "nchw/n4c64h14w14"}) {
    for (const char* family : {"batchnorm_fwd", "batchnorm_bwd"}) {
      expect_launches(batchnorm_native, std::string(family) + "/native/bf16/" + image);
      expect_launches(batchnorm_cuda, std::string(family) + "/cuda/bf16/" + image);
    }
  }
  for (const char* family : {"layernorm_fwd", "layernorm_bwd"}) {
    expect_launches(layernorm_native, std::string(family) + "/native/fp32/row/m394n768");
    expect_launches(layernorm_cuda, std::string(family) + "/cuda/bf16/row/m394n768");
  }
}

TEST_F(KernelPlan, OfLossesLaunchesWhatTheirCostSays) {
  for (const char* family : {"cross_entropy_fwd", "cross_entropy_bwd"}) {
    expect_launches(loss_native, std::string(family) + "/native/fp16/row/m8n1000");
    expect_launches(loss_cuda, std::string(family) + "/cuda/fp16/row/m8n1000");
  }
}

TEST_F(KernelPlan, OfOptimizersLaunchesWhatTheirCostSays) {
  for (const char* shape : {"e60192808t467", "e86567656t152", "e1t1", "e64t700"}) {
    for (const char* family : {"sgd", "unscale"}) {
      expect_launches(optimizer_native, std::string(family) + "/native/fp32/flat/" + shape);
      expect_launches(optimizer_cuda, std::string(family) + "/cuda/fp32/flat/" + shape);
    }
  }
}

TEST_F(KernelPlan, NamesItsKernelsAndTheirTypes) {
  const Op op = parse("batchnorm_fwd/native/bf16/nhwc/n4c64h14w14");
  const std::vector<void*> buffers = no_memory(op);
  const PlanOrReason made = make_kernel_plan(test_libraries(), op, buffers);
  ASSERT_NE(made.plan, nullptr) << made.reason;
  EXPECT_EQ(made.plan->name(),
            "batchnorm_statistics_nhwc<bf16>+update_statistics+batchnorm_transform_nhwc<bf16>");
}

TEST_F(KernelPlan, SaysHowManyBuffersAreMissing) {
  const Op op = parse("relu_bwd/cuda/fp32/flat/e8");
  const std::vector<void*> buffers(2, nullptr);
  const PlanOrReason made = make_kernel_plan(test_libraries(), op, buffers);
  EXPECT_EQ(made.plan, nullptr);
  EXPECT_EQ(made.reason, "relu_bwd has 3 operands, and 2 buffers were given");
}

}  // namespace
}  // namespace stepcast
