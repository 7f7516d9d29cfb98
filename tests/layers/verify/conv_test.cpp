// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyConv = VerifyTest;

// Tiles are 64 rows and columns, and 16 terms deep: one smaller than a tile, one of several and
// with remainders, strides, groups, filters that are not square, a filter that skips pixels.
const std::vector<std::string> kShapes{"n1c3h5w4k2r3s3u1p1",    "n2c17h9w10k70r3s3u1p1",
                                       "n2c5h10w9k66r3s3u2p1",  "n2c3h19w17k9r7s7u2p3",
                                       "n3c65h5w5k33r1s1u1p0",  "n2c9h8w7k5r1s1u2p0",
                                       "n2c12h6w7k8r3s3u1p1g4", "n1c4h12w9k6r4s2u3p1"};

TEST_P(VerifyConv, FindsFaultsInTheResult) { expect_shapes("conv_fprop", kShapes); }
TEST_P(VerifyConv, FindsFaultsInTheDataGradient) { expect_shapes("conv_dgrad", kShapes); }
TEST_P(VerifyConv, FindsFaultsInTheWeightGradient) { expect_shapes("conv_wgrad", kShapes); }

// 33 x 33 terms: more than one block sums them.
TEST_P(VerifyConv, FindsFaultsInALongSum) {
  expect_shapes("conv_wgrad", {"n1c3h33w33k5r3s3u1p1", "n1c4h33w33k6r3s3u1p1g2"});
}

INSTANTIATE_TEST_SUITE_P(All, VerifyConv,
                         testing::ValuesIn(key_cases({"cudnn"}, {"fp32", "tf32", "fp16", "bf16"},
                                                     kImages)),
                         case_name);

}  // namespace
}  // namespace stepcast
