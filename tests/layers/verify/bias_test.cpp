// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyBias = VerifyTest;

const std::vector<std::string> kShapes{"m1n1", "m3n10", "m37n129", "m9n1000", "m70n33"};

TEST_P(VerifyBias, FindsFaultsInTheSum) { expect_shapes("bias_add", kShapes); }
TEST_P(VerifyBias, FindsFaultsInTheGradient) { expect_shapes("bias_grad", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyBias,
                         testing::ValuesIn(key_cases({"cuda"}, kRealPairs, {"row"})), case_name);

}  // namespace
}  // namespace stepcast
