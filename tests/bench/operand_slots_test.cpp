// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/operand_slots.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// relu: x -> y; add: a, b -> y.
const std::vector<Op> kOps{parse("relu_fwd/cuda/fp16/flat/e64"),
                           parse("relu_fwd/cuda/fp16/flat/e64"), parse("add/cuda/fp16/flat/e64"),
                           parse("relu_fwd/cuda/fp16/flat/e32")};

TEST(OperandSlots, ApartEachOperandHasItsOwn) {
  const OperandSlots slots = operand_slots(kOps, false);
  EXPECT_EQ(slots.of_op,
            (std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}, {4, 5, 6}, {7, 8}}));
  EXPECT_EQ(slots.bytes, (std::vector<std::size_t>{128, 128, 128, 128, 128, 128, 128, 64, 64}));
}

TEST(OperandSlots, ChainedAnInputIsTheLatestResultOfItsTypeAndSize) {
  const OperandSlots slots = operand_slots(kOps, true);
  // The second relu reads the first's result; add reads both results, the latest first; a tensor of
  // another size is its own.
  EXPECT_EQ(slots.of_op,
            (std::vector<std::vector<std::size_t>>{{0, 1}, {1, 2}, {2, 1, 3}, {4, 5}}));
  EXPECT_EQ(slots.bytes.size(), 6U);
}

TEST(OperandSlots, WhatIsUpdatedInPlaceIsItsOwn) {
  const std::vector<Op> ops{parse("bias_grad/cuda/fp32/row/m8n8"), parse("sgd/cuda/fp32/flat/e8t1"),
                            parse("sgd/cuda/fp32/flat/e8t1")};
  const OperandSlots slots = operand_slots(ops, true);
  EXPECT_EQ(slots.of_op[1], (std::vector<std::size_t>{2, 1, 3}));  // the gradient is the result
  EXPECT_EQ(slots.of_op[2], (std::vector<std::size_t>{4, 1, 5}));
}

}  // namespace
}  // namespace stepcast
