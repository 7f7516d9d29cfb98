// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace stepcast {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(Text, WordsAreSeparatedByAnyBlanks) {
  EXPECT_EQ(words("  a\t b  \r"), (Parts{"a", "b"}));
  EXPECT_EQ(words(" \t"), Parts{});
}

TEST(Text, TrimmedTakesBlanksAndLineEndsFromBothEnds) {
  EXPECT_EQ(trimmed("\t a b \r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Text, NumbersAreWholeFiniteAndInRange) {
  EXPECT_EQ(parse_number("2.5e-3"), 0.0025);
  EXPECT_EQ(parse_integer("-7"), -7);
  for (const char* text : {"", " 1", "1 ", "1x", "inf", "nan", "1e400"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
  for (const char* text : {"", "1.0", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

}  // namespace
}  // namespace stepcast
