// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/plan.hpp"
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using BatchNorm = KernelTest;

// Channels of whole packs, of half a strip, of several strips, and odd; planes of whole packs, of
// half packs (196 = 14 x 14, 4 x 3), and odd (49 = 7 x 7, with odd channels also images without
// whole packs).
const std::vector<std::string> kShapes{"n3c8h4w4",   "n2c16h14w14", "n5c64h7w7",
                                       "n2c5h3w5",   "n4c24h4w3",   "n2c1h9w7",
                                       "n3c264h3w3", "n2c3h1w1",    "n16c64h28w28"};

TEST_P(BatchNorm, ForwardMatchesTheReference) { check_shapes("batchnorm_fwd", kShapes); }
TEST_P(BatchNorm, BackwardMatchesTheReference) { check_shapes("batchnorm_bwd", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, BatchNorm,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealTypes, kImages)),
                         case_name);

using BatchNormEpilogue = KernelTest;

TEST_P(BatchNormEpilogue, ForwardWithReluMatchesTheReference) {
  check_shapes("batchnorm_fwd+relu", kShapes);
}
TEST_P(BatchNormEpilogue, ForwardWithResidualMatchesTheReference) {
  check_shapes("batchnorm_fwd+add_relu", kShapes);
}
TEST_P(BatchNormEpilogue, BackwardWithReluMatchesTheReference) {
  check_shapes("batchnorm_bwd+relu", kShapes);
}
TEST_P(BatchNormEpilogue, BackwardWithResidualMatchesTheReference) {
  check_shapes("batchnorm_bwd+add_relu", kShapes);
}

INSTANTIATE_TEST_SUITE_P(All, BatchNormEpilogue,
                         testing::ValuesIn(key_cases({"cuda"}, kRealTypes, kImages)), case_name);

using BatchNormPlan = PlanTest;

TEST_F(BatchNormPlan, RefusesAnEpilogueThatPyTorchDoesNotHave) {
  const Op op = parse("batchnorm_fwd+relu/native/bf16/nhwc/n2c8h4w4");
  const std::vector<void*> buffers(8, nullptr);
  const PlanOrReason made = make_plan(test_libraries(), op, buffers);
  EXPECT_EQ(made.plan, nullptr);
  EXPECT_EQ(made.reason, "PyTorch's batch norm has no epilogue relu");
}

TEST_F(BatchNormPlan, RefusesMixedTypes) {
  const Op op = parse("batchnorm_fwd/cuda/bf16-fp32/nhwc/n2c8h4w4");
  const std::vector<void*> buffers(8, nullptr);
  const PlanOrReason made = make_plan(test_libraries(), op, buffers);
  EXPECT_EQ(made.plan, nullptr);
  EXPECT_EQ(made.reason, "batchnorm_fwd by cuda does not take bf16-fp32");
}

}  // namespace
}  // namespace stepcast
