// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyPermute = VerifyTest;

// Long and short runs of c, also of one element, and many of the first dimensions.
const std::vector<std::string> kShapes{"a1b1c1", "a3b5c7", "a40b33c1", "a2b3c640", "a197b4c64"};

TEST_P(VerifyPermute, FindsFaults) { expect_shapes("permute", kShapes); }

INSTANTIATE_TEST_SUITE_P(
    All, VerifyPermute,
    testing::ValuesIn(key_cases({"cuda"}, {"fp32", "fp16", "bf16", "int64", "uint8"}, {"flat"})),
    case_name);

}  // namespace
}  // namespace stepcast
