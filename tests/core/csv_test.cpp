// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <locale>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using std::string_view_literals::operator""sv;

using testing::content_of;
using testing::error_of;
using testing::TemporaryFolder;

const CsvSchema kFruit{"fruit", 2, {"name", "mass_kg", "count"}};
const CsvSchema kPlain{"", 1, {"name", "mass_kg"}};

class Csv : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<CsvRow> read(std::string_view content,
                                         const CsvSchema& schema = kFruit) const {
    return read_csv(folder_.file("f.csv", content), schema);
  }
  /// The error's text, without the folder.
  [[nodiscard]] std::string refusal(std::string_view content,
                                    const CsvSchema& schema = kFruit) const {
    return without_folder(error_of<DataError>([&] { (void)read(content, schema); }));
  }
  [[nodiscard]] std::string without_folder(std::string text) const {
    const std::string prefix = folder_.path("").string();
    const std::size_t at = text.find(prefix);
    return at == std::string::npos ? text : text.erase(at, prefix.size());
  }
  TemporaryFolder folder_;
};

TEST_F(Csv, ReadsCellsByColumnName) {
  const auto rows =
      read("# stepcast fruit schema 2\nname,mass_kg,count\napple,0.25,3\npear,1e-1,4\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].text("name"), "apple");
  EXPECT_EQ(rows[0].number("mass_kg"), 0.25);
  EXPECT_EQ(rows[1].number("mass_kg"), 0.1);
  EXPECT_EQ(rows[1].integer("count"), 4);
}

TEST_F(Csv, ColumnsMayStandInAnotherOrderAmongUnknownOnes) {
  const auto rows =
      read("# stepcast fruit schema 2\ncount,colour,name,mass_kg\n3,red,apple,0.25\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].text("name"), "apple");
  EXPECT_EQ(rows[0].integer("count"), 3);
}

TEST_F(Csv, TakesWindowsLineEndsAByteOrderMarkAndNoFinalLineEnd) {
  const auto rows =
      read("\xEF\xBB\xBF# stepcast fruit schema 2\r\nname,mass_kg,count\r\napple,1,2\r\npear,3,45");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].integer("count"), 2);
  EXPECT_EQ(rows[1].integer("count"), 45);
}

TEST_F(Csv, CommentsAndEmptyLinesAreNoRows) {
  const auto rows =
      read("# stepcast fruit schema 2\n# why\n\nname,mass_kg,count\n\n# x,y\na,1,2\n\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NE(rows[0].place("count").find("f.csv:7:count"), std::string::npos);
}

TEST_F(Csv, QuotedCellsHoldCommasAndQuotes) {
  const auto rows = read("name,mass_kg\n\"a, \"\"b\"\"\",1\n\" padded \",2\n", kPlain);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].text("name"), "a, \"b\"");
  EXPECT_EQ(rows[1].text("name"), " padded ");
}

TEST_F(Csv, EmptyCellIsNoNumberUnlessADefaultIsGiven) {
  const auto rows = read("name,mass_kg\n,\n", kPlain);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].text("name"), "");
  EXPECT_EQ(rows[0].number_or("mass_kg", -1.0), -1.0);
  EXPECT_EQ(without_folder(error_of<DataError>([&] { (void)rows[0].number("mass_kg"); })),
            "f.csv:2:mass_kg: '' is not a number");
  EXPECT_EQ(without_folder(error_of<DataError>([&] { (void)rows[0].integer("mass_kg"); })),
            "f.csv:2:mass_kg: '' is not a whole number");
}

TEST_F(Csv, NumbersAreWholeCellsAndFinite) {
  for (const char* cell :
       {"1.5x", "1,5", "x", "nan", "inf", "-inf", "1e999", "0x10", "1 2", "+1"}) {
    const auto rows = read("name,mass_kg\na,\"" + std::string(cell) + "\"\n", kPlain);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_THROW((void)rows[0].number("mass_kg"), DataError) << cell;
    EXPECT_THROW((void)rows[0].number_or("mass_kg", 0.0), DataError) << cell;
  }
  for (const char* cell : {"1.0", "1e3", "9223372036854775808", "1-"}) {
    const auto rows = read("name,mass_kg\na," + std::string(cell) + "\n", kPlain);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_THROW((void)rows[0].integer("mass_kg"), DataError) << cell;
  }
}

TEST_F(Csv, UnknownColumnIsNamed) {
  const auto rows = read("name,mass_kg\na,1\n", kPlain);
  EXPECT_EQ(without_folder(error_of<DataError>([&] { (void)rows[0].text("colour"); })),
            "f.csv:2:colour: there is no such column");
}

TEST_F(Csv, OlderSchemaIsReadNewerIsRefusedByName) {
  EXPECT_EQ(read("# stepcast fruit schema 1\nname,mass_kg,count\na,1,2\n").size(), 1U);
  EXPECT_EQ(refusal("# stepcast fruit schema 3\nname,mass_kg,count\n"),
            "f.csv:1: fruit schema 3 is newer than this program, which reads up to 2");
}

TEST_F(Csv, SchemaLineOfAnotherKindOrNoneIsRefused) {
  EXPECT_EQ(refusal("# stepcast ops schema 1\nname,mass_kg,count\n"),
            "f.csv:1: this is a file of kind 'ops', not 'fruit'");
  EXPECT_EQ(refusal("name,mass_kg,count\na,1,2\n"),
            "f.csv:1: the first line is not '# stepcast fruit schema 2'");
  for (const char* version : {"0", "-1", "two", "2.0", "99999999999999999999"}) {
    EXPECT_NE(refusal("# stepcast fruit schema " + std::string(version) + "\nname,mass_kg,count\n")
                  .find("is not a number above 0"),
              std::string::npos)
        << version;
  }
}

TEST_F(Csv, MissingColumnIsNamedWithFileAndVersion) {
  EXPECT_EQ(refusal("# stepcast fruit schema 1\nname,mass_kg\na,1\n"),
            "f.csv:2: fruit schema 1: column 'count' is missing");
}

TEST_F(Csv, BrokenFilesAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal("", kPlain), "f.csv: is empty; a header line is missing");
  EXPECT_EQ(refusal("\n \n", kPlain), "f.csv: is empty; a header line is missing");
  EXPECT_EQ(refusal("# only a comment\n", kPlain), "f.csv: the header line is missing");
  EXPECT_EQ(refusal("# stepcast fruit schema 2\n"),
            "f.csv: fruit schema 2: the header line is missing");
  EXPECT_EQ(refusal("name,mass_kg\na,1\nb\n", kPlain), "f.csv:3: has too few cells");
  EXPECT_EQ(refusal("name,mass_kg\na,1,2\n", kPlain), "f.csv:2: has too many cells");
  EXPECT_EQ(refusal("name,mass_kg\n\"a,1\n", kPlain), "f.csv:2: a quote is not closed");
  EXPECT_EQ(refusal("\"name,mass_kg\na,1\n", kPlain), "f.csv: the header: a quote is not closed");
  EXPECT_EQ(refusal("name,mass_kg,name\n", kPlain), "f.csv: column 'name' stands there twice");
  EXPECT_EQ(refusal("name,mass_kg\na\0b,1\n"sv, kPlain), "f.csv: holds a NUL byte; it is not text");
}

TEST_F(Csv, AbsentFileAndFolderAreRefused) {
  EXPECT_EQ(
      without_folder(error_of<DataError>([&] { (void)read_csv(folder_.path("no.csv"), kPlain); })),
      "no.csv: cannot be opened");
  EXPECT_NE(
      error_of<DataError>([&] { (void)read_csv(folder_.path("."), kPlain); }).find("is a folder"),
      std::string::npos);
}

TEST_F(Csv, FortyColumnsAreReadAndFortyOneRefused) {
  std::vector<std::string> names;
  names.reserve(41);
  for (int i = 0; i < 41; ++i) names.push_back("c" + std::to_string(i));
  CsvSchema schema{"", 1, {names.begin(), names.begin() + 40}};
  std::string header = "c0";
  std::string line = "0";
  for (int i = 1; i < 40; ++i) {
    header += ",c" + std::to_string(i);
    line += "," + std::to_string(i);
  }
  const auto rows = read(header + "\n" + line + "\n", schema);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].integer("c39"), 39);
  schema.columns.push_back(names.back());
  EXPECT_THROW((void)read("c0\n", schema), DataError);
}

TEST_F(Csv, WriterStartsAFileAndAppendsToIt) {
  const auto file = folder_.path("new.csv");
  CsvWriter(file, kFruit).write({"apple", "0.25", "3"});
  CsvWriter(file, kFruit).write({"a, \"b\"", "", "4"});
  EXPECT_EQ(content_of(file),
            "# stepcast fruit schema 2\nname,mass_kg,count\napple,0.25,3\n\"a, \"\"b\"\"\",,4\n");
}

TEST_F(Csv, WriterFlushesEachRow) {
  const auto file = folder_.path("new.csv");
  CsvWriter writer(file, kPlain);
  writer.write({"a", "1"});
  EXPECT_EQ(content_of(file), "name,mass_kg\na,1\n");
}

TEST_F(Csv, AwkwardCellsComeBackAsTheyWere) {
  const auto file = folder_.path("new.csv");
  const std::vector<std::string> names = {"#no comment", " padded\t", "\"", "\"\"",
                                          ",",           "plain",     "",   "µs"};
  {
    CsvWriter writer(file, kPlain);
    for (const std::string& name : names) writer.write({name, "1"});
  }
  const auto rows = read_csv(file, kPlain);
  ASSERT_EQ(rows.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(rows[i].text("name"), names[i]);
}

TEST_F(Csv, LineEndWithinACellBecomesABlank) {
  const auto file = folder_.path("new.csv");
  CsvWriter(file, kPlain).write({"two\r\nlines", "1"});
  const auto rows = read_csv(file, kPlain);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].text("name"), "two  lines");
}

TEST_F(Csv, HalfWrittenLastLineIsCutOff) {
  const auto file = folder_.file("f.csv", "name,mass_kg\na,1\nb,2.3");
  CsvWriter(file, kPlain).write({"c", "4"});
  EXPECT_EQ(content_of(file), "name,mass_kg\na,1\nc,4\n");
}

TEST_F(Csv, HalfWrittenHeadIsWrittenAgain) {
  for (const char* head :
       {"", "# stepc", "# stepcast fruit schema 2\n", "# stepcast fruit schema 2\nname,ma"}) {
    const auto file = folder_.file("f.csv", head);
    CsvWriter(file, kFruit).write({"a", "1", "2"});
    EXPECT_EQ(content_of(file), "# stepcast fruit schema 2\nname,mass_kg,count\na,1,2\n") << head;
  }
}

TEST_F(Csv, WriterRefusesAnotherHeaderAndLeavesTheFile) {
  const std::string other = "# stepcast fruit schema 2\nname,count,mass_kg\na,1,2\nb,";
  const auto file = folder_.file("f.csv", other);
  EXPECT_EQ(without_folder(error_of<DataError>([&] { CsvWriter(file, kFruit); })),
            "f.csv:2: the header is 'name,count,mass_kg', not 'name,mass_kg,count'");
  EXPECT_EQ(content_of(file), other);
}

TEST_F(Csv, WriterRefusesOlderNewerAndForeignSchemas) {
  for (const char* head : {"# stepcast fruit schema 1", "# stepcast fruit schema 3",
                           "# stepcast ops schema 2", "name,mass_kg,count"}) {
    const auto file = folder_.file("f.csv", std::string(head) + "\nname,mass_kg,count\n");
    EXPECT_THROW(CsvWriter(file, kFruit), DataError) << head;
  }
}

TEST_F(Csv, WriterRefusesTheWrongNumberOfCellsAndAMissingFolder) {
  CsvWriter writer(folder_.path("f.csv"), kPlain);
  EXPECT_THROW(writer.write({"a"}), DataError);
  EXPECT_THROW(writer.write({"a", "1", "2"}), DataError);
  EXPECT_THROW(CsvWriter(folder_.path("no/f.csv"), kPlain), DataError);
}

TEST_F(Csv, NumbersReadBackExactly) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(2.2189e-05), "2.2189e-05");
  EXPECT_EQ(csv_number(std::int64_t{-1073741824}), "-1073741824");
  for (const double value : {1.0 / 3.0, 5e-324, std::numeric_limits<double>::max(), 28351488.0}) {
    const auto rows = read("name,mass_kg\na," + csv_number(value) + "\n", kPlain);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].number("mass_kg"), value);
  }
  EXPECT_THROW((void)csv_number(std::nan("")), DataError);
  EXPECT_THROW((void)csv_number(std::numeric_limits<double>::infinity()), DataError);
}

struct DecimalComma : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST_F(Csv, LocaleWithDecimalCommasChangesNothing) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const auto file = folder_.path("new.csv");
  CsvWriter(file, kFruit).write({"a", csv_number(1234.5), csv_number(std::int64_t{1234567})});
  const auto rows = read_csv(file, kFruit);
  std::locale::global(before);
  EXPECT_EQ(content_of(file), "# stepcast fruit schema 2\nname,mass_kg,count\na,1234.5,1234567\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].number("mass_kg"), 1234.5);
}

}  // namespace
}  // namespace stepcast
