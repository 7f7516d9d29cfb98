// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepcast {
namespace {

Table small_table() {
  Table table{"Steps",
              {{"what", "what"},
               {"step", "step_ms", 2, false, true},
               {"efficiency", "efficiency", 1, true},
               {"", "kind", 0, false, false, false}},
              {}};
  table.rows.push_back({{std::string("a, b"), std::nullopt},
                        {1.0 / 3, Origin::fitted},
                        {0.875, std::nullopt},
                        {std::string("weak"), std::nullopt}});
  table.rows.push_back(
      {{std::string("c"), std::nullopt}, {}, {}, {std::string("weak"), std::nullopt}});
  return table;
}

TEST(Table, TextFormAlignsNumbersAndMarksTheirOrigin) {
  EXPECT_EQ(text_table(small_table()),
            "Steps\n"
            "what  step    efficiency\n"
            "a, b  0.33 f      87.5 %\n"
            "c        -             -\n");
}

TEST(Table, CsvHasTheOriginAsAColumnAndDoublesThatReadBack) {
  EXPECT_EQ(csv_table(small_table()),
            "what,step_ms,step_origin,efficiency,kind\n"
            "\"a, b\",0.3333333333333333,fitted,0.875,weak\n"
            "c,,,,weak\n");
}

TEST(Table, JsonHasTheFieldsOfTheCsv) {
  const auto rows = json_rows(small_table());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["step_ms"], 1.0 / 3);
  EXPECT_EQ(rows[0]["step_origin"], "fitted");
  EXPECT_EQ(rows[0]["kind"], "weak");
  EXPECT_TRUE(rows[1]["step_ms"].is_null());
  EXPECT_TRUE(rows[1]["step_origin"].is_null());
}

TEST(Table, TablesGivenTogetherShareOneHeader) {
  const std::string both = csv_tables({small_table(), small_table()});
  EXPECT_EQ(both.find("what,step_ms"), 0U);
  EXPECT_EQ(both.rfind("what,step_ms"), 0U);
}

}  // namespace
}  // namespace stepcast
