// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using Permute = KernelTest;

// Runs of 16, 8, 4, 2 and 1 bytes' multiples; transposes (c = 1, 2, 4) within a tile, of whole
// tiles and across their edges; tokens by heads as attention's copies have them.
TEST_P(Permute, MatchesTheReference) {
  check_shapes("permute", {"a3b5c8", "a7b3c6", "a4b6c3", "a5b4c7", "a197b8c64", "a33b70c1",
                           "a64b128c1", "a65b3c2", "a70b65c4", "a1b1c1", "a2b100c24"});
}

INSTANTIATE_TEST_SUITE_P(All, Permute,
                         testing::ValuesIn(key_cases(kOwnProviders,
                                                     {"fp32", "fp16", "bf16", "int64", "uint8"},
                                                     {"flat"})),
                         case_name);

}  // namespace
}  // namespace stepcast
