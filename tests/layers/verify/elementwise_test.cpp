// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

// One element, less than a block, and several blocks with a rest.
const std::vector<std::string> kShapes{"e1", "e77", "e5001"};

using VerifyActivation = VerifyTest;

TEST_P(VerifyActivation, FindsFaultsInRelu) { expect_shapes("relu_fwd", kShapes); }
TEST_P(VerifyActivation, FindsFaultsInReluGradient) { expect_shapes("relu_bwd", kShapes); }
TEST_P(VerifyActivation, FindsFaultsInGelu) { expect_shapes("gelu_fwd", kShapes); }
TEST_P(VerifyActivation, FindsFaultsInGeluGradient) { expect_shapes("gelu_bwd", kShapes); }
TEST_P(VerifyActivation, FindsFaultsInScale) { expect_shapes("scale", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyActivation,
                         testing::ValuesIn(key_cases({"cuda"}, kRealTypes, {"flat"})), case_name);

using VerifyAdd = VerifyTest;

TEST_P(VerifyAdd, FindsFaults) { expect_shapes("add", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyAdd,
                         testing::ValuesIn(key_cases({"cuda"}, kRealPairs, {"flat"})), case_name);

using VerifyCast = VerifyTest;

TEST_P(VerifyCast, FindsFaults) { expect_shapes("cast", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyCast,
                         testing::ValuesIn(key_cases({"cuda"},
                                                     {"fp32-fp16", "fp32-bf16", "fp16-fp32",
                                                      "bf16-fp32", "fp16-bf16", "bf16-fp16",
                                                      "int64-fp32", "uint8-fp16", "uint8-bf16"},
                                                     {"flat"})),
                         case_name);

using VerifyCopy = VerifyTest;

TEST_P(VerifyCopy, FindsFaults) { expect_shapes("copy", kShapes); }
TEST_P(VerifyCopy, FindsFaultsInZeros) { expect_shapes("zero", kShapes); }

INSTANTIATE_TEST_SUITE_P(
    All, VerifyCopy,
    testing::ValuesIn(key_cases({"cuda"}, {"fp32", "fp16", "bf16", "int64", "uint8"}, {"flat"})),
    case_name);

using VerifyIncrement = VerifyTest;

TEST_P(VerifyIncrement, FindsFaults) { expect_shapes("increment", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyIncrement, testing::Values("cuda/int64/flat"), case_name);

}  // namespace
}  // namespace stepcast
