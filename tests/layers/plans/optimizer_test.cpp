// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using Optimizer = KernelTest;

// More tensors than elements, tensors of less than a chunk of 65536, of several chunks, and more
// chunks than one launch takes (320).
const std::vector<std::string> kShapes{"e1t1",      "e3t5",      "e1003t7",
                                       "e100001t3", "e300000t2", "e20000t700"};

TEST_P(Optimizer, SgdMatchesTheReference) { check_shapes("sgd", kShapes); }
TEST_P(Optimizer, UnscaleMatchesTheReference) { check_shapes("unscale", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Optimizer,
                         testing::ValuesIn(key_cases(kOwnProviders, {"fp32"}, {"flat"})),
                         case_name);

}  // namespace
}  // namespace stepcast
