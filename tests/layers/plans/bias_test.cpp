// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using Bias = KernelTest;

// Columns that are whole packs, odd, fewer than a pack, and of several strips; rows from one to
// more than one block takes.
const std::vector<std::string> kShapes{"m1n1",   "m3n768",  "m5n7",     "m2n3",     "m17n1000",
                                       "m1n300", "m300n64", "m4000n24", "m2500n13", "m700n520"};

TEST_P(Bias, AdditionMatchesTheReference) { check_shapes("bias_add", kShapes); }
TEST_P(Bias, GradientMatchesTheReference) { check_shapes("bias_grad", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Bias,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealPairs, {"row"})),
                         case_name);

}  // namespace
}  // namespace stepcast
