// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/log_line.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(LogLine, WhatLaunchersPutBeforeALineIsDropped) {
  for (const char* prefix : {"", "1: ", "00: ", "[0] ", "[1,0]<stdout>:", "[1,12]<stderr>: ",
                             "[pod/nccl-test-launcher-x/main] ", "2026-11-30T10:00:00.123456789Z ",
                             "2026-11-30T10:00:00+01:00 ",
                             "2026-11-30T10:00:00Z [1,0]<stdout>:", "\x1b[32m1: \x1b[0m"}) {
    EXPECT_EQ(plain_line(prefix + std::string("  1048576 262144 float\r")), "1048576 262144 float")
        << prefix;
    EXPECT_EQ(plain_line(prefix + std::string("# nThread 1")), "# nThread 1") << prefix;
  }
}

TEST(LogLine, ColoursAreDroppedWhereverTheyAre) {
  EXPECT_EQ(plain_line("\x1b[1;31m# Out of bounds values : 1 \x1b[0mFAILED\x1b[K"),
            "# Out of bounds values : 1 FAILED");
  EXPECT_EQ(plain_line("a\x1b"), "a");
}

TEST(LogLine, NumbersAndTimesOfDayAreNoPrefix) {
  EXPECT_EQ(plain_line("1048576 262144"), "1048576 262144");
  EXPECT_EQ(plain_line("10:00:01 up 3 days"), "10:00:01 up 3 days");
  EXPECT_EQ(plain_line("[1048576] 262144"), "262144");
  EXPECT_EQ(plain_line(""), "");
  EXPECT_EQ(plain_line("3:"), "");
}

}  // namespace
}  // namespace stepcast
