// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyLayerNorm = VerifyTest;

// Rows shorter than a warp, of whole warps, odd, and more of them than blocks.
const std::vector<std::string> kShapes{"m1n2", "m3n10", "m37n129", "m5n768", "m17000n3"};

TEST_P(VerifyLayerNorm, FindsFaultsForward) { expect_shapes("layernorm_fwd", kShapes); }
TEST_P(VerifyLayerNorm, FindsFaultsBackward) { expect_shapes("layernorm_bwd", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, VerifyLayerNorm,
                         testing::ValuesIn(key_cases({"cuda"}, kRealPairs, {"row"})), case_name);

}  // namespace
}  // namespace stepcast
