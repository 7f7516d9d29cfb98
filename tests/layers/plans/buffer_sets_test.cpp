// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/buffer_sets.hpp"

#include <gtest/gtest.h>

#include <array>

namespace stepcast {
namespace {

TEST(BufferSets, WhatBelongsToASetIsMadeOnceAndStaysWhereItIs) {
  std::array<int, 3> memory{};
  const std::array<void*, 2> one{&memory[0], &memory[1]};
  const std::array<void*, 2> other{&memory[0], &memory[2]};
  int made = 0;
  BufferSets<int> sets;
  const auto at = [&](std::span<void* const> buffers) {
    return &sets.at(buffers, [&] { return ++made; });
  };
  const int* of_one = at(one);
  const int* of_other = at(other);
  EXPECT_EQ(*of_one, 1);
  EXPECT_EQ(*of_other, 2);
  EXPECT_EQ(at(one), of_one);
  EXPECT_EQ(at(other), of_other);
  EXPECT_EQ(made, 2);
}

TEST(BufferSets, NoBuffersAreASetToo) {
  BufferSets<int> sets;
  sets.at({}, [] { return 7; });
  EXPECT_EQ(sets.at({}, [] { return 8; }), 7);
}

}  // namespace
}  // namespace stepcast
