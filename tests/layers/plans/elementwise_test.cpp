// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

// Less than a pack, packs with and without a rest, whole tiles of 8192 and 16384 elements, and many
// of them with a rest.
const std::vector<std::string> kShapes{"e1", "e7", "e64", "e1001", "e16384", "e100003"};

using Elementwise = KernelTest;

TEST_P(Elementwise, ReluMatchesTheReference) {
  check_shapes("relu_fwd", kShapes);
  check_shapes("relu_bwd", kShapes);
}

TEST_P(Elementwise, GeluMatchesTheReference) {
  check_shapes("gelu_fwd", kShapes);
  check_shapes("gelu_bwd", kShapes);
}

TEST_P(Elementwise, ScaleMatchesTheReference) { check_shapes("scale", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Elementwise,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealTypes, {"flat"})),
                         case_name);

using Addition = KernelTest;

TEST_P(Addition, MatchesTheReference) { check_shapes("add", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Addition,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealPairs, {"flat"})),
                         case_name);

using Cast = KernelTest;

TEST_P(Cast, MatchesTheReference) { check_shapes("cast", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Cast,
                         testing::ValuesIn(key_cases(kOwnProviders,
                                                     {"fp32-fp16", "fp32-bf16", "fp16-fp32",
                                                      "bf16-fp32", "fp16-bf16", "bf16-fp16"},
                                                     {"flat"})),
                         case_name);

using Memory = KernelTest;

TEST_P(Memory, CopyMatchesTheReference) { check_shapes("copy", kShapes); }
TEST_P(Memory, ZeroMatchesTheReference) { check_shapes("zero", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Memory,
                         testing::ValuesIn(key_cases(kOwnProviders,
                                                     {"fp32", "fp16", "bf16", "int64", "uint8"},
                                                     {"flat"})),
                         case_name);

using Counter = KernelTest;

TEST_P(Counter, IncrementMatchesTheReference) { check_shapes("increment", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, Counter,
                         testing::ValuesIn(key_cases(kOwnProviders, {"int64"}, {"flat"})),
                         case_name);

}  // namespace
}  // namespace stepcast
