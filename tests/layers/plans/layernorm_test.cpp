// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using LayerNorm = KernelTest;

// Rows in one warp and in groups of up to 1024 threads; columns that are no whole packs; rows that
// are no whole tiles, and more of them than blocks run at once (5000 x 64).
const std::vector<std::string> kShapes{"m5n768",  "m3n1024", "m7n33",   "m2n2048",
                                       "m3n4096", "m2n8192", "m1n4",    "m65n250",
                                       "m2n3001", "m3n8191", "m33n200", "m5000n64"};

TEST_P(LayerNorm, ForwardMatchesTheReference) { check_shapes("layernorm_fwd", kShapes); }
TEST_P(LayerNorm, BackwardMatchesTheReference) { check_shapes("layernorm_bwd", kShapes); }

INSTANTIATE_TEST_SUITE_P(All, LayerNorm,
                         testing::ValuesIn(key_cases(kOwnProviders,
                                                     {"fp32", "fp16", "bf16", "fp32-bf16",
                                                      "fp32-fp16", "bf16-fp32", "fp16-fp32"},
                                                     {"row"})),
                         case_name);

}  // namespace
}  // namespace stepcast
