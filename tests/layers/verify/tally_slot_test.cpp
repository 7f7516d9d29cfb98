// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/tally_slot.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

namespace stepcast {
namespace {

const std::vector<Operand> kOperands{{"x", DType::fp32, 7, Role::input, Fill::uniform, 0},
                                     {"y", DType::fp32, 10, Role::output, Fill::uniform, 0},
                                     {"v", DType::fp32, 5, Role::in_out, Fill::uniform, 0}};

TallySlot compared(unsigned long long count, float worst) {
  TallySlot slot;
  slot.checked = count;
  slot.worst = std::bit_cast<unsigned>(worst);
  return slot;
}

TEST(TallySlot, AllComparedAndNoneWrongIsRight) {
  const Verdict verdict =
      verdict_of(kOperands, std::vector{TallySlot{}, compared(10, 0.5F), compared(5, 0.25F)});
  EXPECT_TRUE(verdict.right()) << verdict.fault;
  EXPECT_EQ(verdict.checked, 15);
  EXPECT_EQ(verdict.worst, 0.5);
}

TEST(TallySlot, AnOperandThatWasNotComparedInFullIsAFault) {
  const Verdict verdict =
      verdict_of(kOperands, std::vector{TallySlot{}, compared(10, 0), compared(4, 0)});
  EXPECT_FALSE(verdict.right());
  EXPECT_EQ(verdict.fault, "v: 4 of 5 elements were compared");
}

TEST(TallySlot, TheFirstWrongElementIsSaidInWords) {
  TallySlot wrong = compared(10, std::numeric_limits<float>::infinity());
  wrong.wrong = 2;
  wrong.first = 3;
  wrong.got = 1.5;
  wrong.want = 0.25;
  wrong.allowed = 0.125;
  const Verdict verdict = verdict_of(kOperands, std::vector{TallySlot{}, wrong, compared(5, 0)});
  EXPECT_EQ(verdict.fault, "y[3] is 1.5, wanted 0.25 within 0.125; 2 of 10 elements are wrong");
  EXPECT_EQ(verdict.wrong, 2);
  EXPECT_EQ(verdict.worst, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace stepcast
