// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyCrossEntropy = VerifyTest;

// Rows shorter than a warp, of whole warps, odd, and more of them than blocks.
const std::vector<std::string> kShapes{"m1n2", "m3n10", "m128n1000", "m37n1001", "m17000n3"};

TEST_P(VerifyCrossEntropy, FindsFaultsForward) { expect_shapes("cross_entropy_fwd", kShapes); }
TEST_P(VerifyCrossEntropy, FindsFaultsBackward) { expect_shapes("cross_entropy_bwd", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyCrossEntropy,
                         testing::ValuesIn(key_cases({"cuda"}, kRealPairs, {"row"})), case_name);

}  // namespace
}  // namespace stepcast
