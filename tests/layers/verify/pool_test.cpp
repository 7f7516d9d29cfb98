// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using VerifyPool = VerifyTest;

// ResNet's window on even and odd images; windows that do not overlap, that leave pixels uncovered,
// and of another size; as in the plans' tests.
const std::vector<std::string> kWindows{"n2c8h8w8r3u2p1",  "n2c5h7w9r3u2p1", "n1c3h6w6r2u2p0",
                                        "n2c40h5w5r3u1p1", "n1c8h9w7r2u3p0", "n1c2h6w5r4u2p2",
                                        "n1c8h3w3r2u1p1"};
// Global averages as the plans compute them, and windows that overlap and reach beyond the image.
const std::vector<std::string> kMeans{"n3c5h7w7r7u1p0", "n2c64h2w2r2u1p0", "n3c8h1w1r1u1p0",
                                      "n2c5h7w9r3u2p1", "n1c2h6w5r4u2p2"};

TEST_P(VerifyPool, FindsFaultsInMaxima) { expect_shapes("maxpool_fwd", kWindows); }
TEST_P(VerifyPool, FindsFaultsInGradientsOfMaxima) { expect_shapes("maxpool_bwd", kWindows); }
TEST_P(VerifyPool, FindsFaultsInMeans) { expect_shapes("avgpool_fwd", kMeans); }
TEST_P(VerifyPool, FindsFaultsInGradientsOfMeans) { expect_shapes("avgpool_bwd", kMeans); }

/// Images in which many maxima are reached several times.
void make_ties(std::string_view name, std::vector<double>& values) {
  if (name != "x") return;
  for (double& value : values) value = value < 0.0 ? -0.5 : 0.5;
}

TEST_P(VerifyPool, WantsTheFirstOfEqualMaxima) {
  const std::string shape = GetParam() + "/n1c2h6w6r3u2p1";
  VerifiedOp op("maxpool_fwd/" + shape, make_ties);
  EXPECT_TRUE(op.verdict().right()) << op.verdict().fault;
  EXPECT_LE(op.verdict().worst, 1);
  const VerifiedOp gradient("maxpool_bwd/" + shape, make_ties);
  EXPECT_TRUE(gradient.verdict().right()) << gradient.verdict().fault;
}

INSTANTIATE_TEST_SUITE_P(All, VerifyPool,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealTypes, kImages)),
                         case_name);

}  // namespace
}  // namespace stepcast
