// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using CrossEntropy = KernelTest;

const std::vector<std::string> kShapes{"m1n2", "m3n10", "m128n1000", "m37n1001", "m300n5"};

TEST_P(CrossEntropy, ForwardMatchesTheReference) { check_shapes("cross_entropy_fwd", kShapes); }
TEST_P(CrossEntropy, BackwardMatchesTheReference) { check_shapes("cross_entropy_bwd", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, CrossEntropy,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealPairs, {"row"})),
                         case_name);

}  // namespace
}  // namespace stepcast
