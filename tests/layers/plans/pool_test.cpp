// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/plan.hpp"
#include "tests/layers/plans/key_cases.hpp"

namespace stepcast {
namespace {

using Pool = KernelTest;

// ResNet's window (3 x 3, stride 2, padding 1) on even, odd and many-block images; windows that do
// not overlap, that leave pixels uncovered, and of another size; channels of whole packs and odd.
const std::vector<std::string> kWindows{"n2c8h8w8r3u2p1",  "n2c5h7w9r3u2p1",    "n1c3h6w6r2u2p0",
                                        "n2c16h5w5r3u1p1", "n1c8h9w7r2u3p0",    "n1c2h6w5r4u2p2",
                                        "n1c8h3w3r2u1p1",  "n3c64h30w28r3u2p1", "n2c3h9w16r3u2p1"};

TEST_P(Pool, MaximumMatchesTheReference) { check_shapes("maxpool_fwd", kWindows); }
TEST_P(Pool, GradientOfMaximumMatchesTheReference) { check_shapes("maxpool_bwd", kWindows); }

// ResNet's last plane, odd channels, a plane of whole packs, one pixel, and several strips.
const std::vector<std::string> kPlanes{"n2c64h7w7r7u1p0", "n3c5h7w7r7u1p0",   "n2c24h8w8r8u1p0",
                                       "n3c8h1w1r1u1p0",  "n5c600h3w3r3u1p0", "n2c7h2w2r2u1p0"};

TEST_P(Pool, AverageMatchesTheReference) { check_shapes("avgpool_fwd", kPlanes); }
TEST_P(Pool, GradientOfAverageMatchesTheReference) { check_shapes("avgpool_bwd", kPlanes); }

INSTANTIATE_TEST_SUITE_P(All, Pool,
                         testing::ValuesIn(key_cases(kOwnProviders, kRealTypes, kImages)),
                         case_name);

using PoolPlan = PlanTest;

TEST_F(PoolPlan, RefusesAnAverageThatIsNotGlobal) {
  const Op op = parse("avgpool_fwd/cuda/bf16/nhwc/n2c8h8w8r2u2p0");
  const std::vector<void*> buffers(2, nullptr);
  const PlanOrReason made = make_plan(test_libraries(), op, buffers);
  EXPECT_EQ(made.plan, nullptr);
  EXPECT_EQ(made.reason,
            "average pooling is global alone: the window must be the whole image, without padding");
}

}  // namespace
}  // namespace stepcast
