// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace stepcast {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};

static_assert(Addable<Seconds, Seconds>);
static_assert(!Addable<Seconds, Bytes>);
static_assert(std::is_same_v<decltype(Bytes(1) / Seconds(1)), BytesPerSecond>);
static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(1)), double>);

TEST(Units, BinaryAndDecimalPrefixesDiffer) {
  EXPECT_EQ(mib(25).count(), 26214400.0);
  EXPECT_EQ(kib(1).count(), 1024.0);
  EXPECT_EQ(gbps(1).count(), 1e9);
}

TEST(Units, QuotientsCarryTheirUnit) {
  EXPECT_DOUBLE_EQ((Bytes(3e9) / gbps(1.5)).count(), 2.0);
  EXPECT_DOUBLE_EQ((milliseconds(2) + microseconds(500)).count(), 0.0025);
}

}  // namespace
}  // namespace stepcast
