// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyOptimizer = VerifyTest;

const std::vector<std::string> kShapes{"e1t1", "e1003t7", "e100001t3"};

TEST_P(VerifyOptimizer, FindsFaultsInSgd) { expect_shapes("sgd", kShapes); }
TEST_P(VerifyOptimizer, FindsFaultsInUnscale) { expect_shapes("unscale", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyOptimizer, testing::Values("cuda/fp32/flat"), case_name);

}  // namespace
}  // namespace stepcast
