// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyBatchNorm = VerifyTest;

// Channels of one and of several warps, odd and single ones; planes of one place, smaller than a
// warp, and of many blocks.
const std::vector<std::string> kShapes{"n3c5h3w5", "n2c1h9w7", "n4c70h1w1", "n2c33h7w7",
                                       "n3c3h40w40"};

TEST_P(VerifyBatchNorm, FindsFaultsForward) { expect_shapes("batchnorm_fwd", kShapes); }
TEST_P(VerifyBatchNorm, FindsFaultsForwardWithRelu) {
  expect_shapes("batchnorm_fwd+relu", kShapes);
}
TEST_P(VerifyBatchNorm, FindsFaultsForwardWithResidual) {
  expect_shapes("batchnorm_fwd+add_relu", kShapes);
}
TEST_P(VerifyBatchNorm, FindsFaultsBackward) { expect_shapes("batchnorm_bwd", kShapes); }
TEST_P(VerifyBatchNorm, FindsFaultsBackwardWithRelu) {
  expect_shapes("batchnorm_bwd+relu", kShapes);
}
TEST_P(VerifyBatchNorm, FindsFaultsBackwardWithResidual) {
  expect_shapes("batchnorm_bwd+add_relu", kShapes);
}

INSTANTIATE_TEST_SUITE_P(All, VerifyBatchNorm,
                         testing::ValuesIn(key_cases({"cuda"}, kRealPairs, kImages)), case_name);

}  // namespace
}  // namespace stepcast
