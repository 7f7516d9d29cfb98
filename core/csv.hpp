// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// CSV with a header line, comment lines that begin with '#', and a schema version in the first of
// them: `# stepcast ops schema 1`. Reading is libfccp's (Fast C++ CSV Parser), behind this
// interface; cells stay text until asked for, and numbers are converted by std::from_chars.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// What a file of one kind looks like: its name in the first comment line, its version, its
/// columns.
struct CsvSchema {
  std::string_view kind;  // "ops"; empty for files without a schema line
  int version = 1;
  std::vector<std::string_view> columns;
};

/// One row; each cell knows its place for the error that names it.
class CsvRow {
 public:
  CsvRow(std::string file, std::size_t line, const CsvSchema& schema,
         std::vector<std::string> cells);

  /// Errors: DataError `file:line:column: ...`; text() for an unknown column, the others also for a
  /// cell that is empty, not a number, or has something behind the number.
  [[nodiscard]] const std::string& text(std::string_view column) const;
  [[nodiscard]] double number(std::string_view column) const;
  [[nodiscard]] std::int64_t integer(std::string_view column) const;
  /// The number, or `otherwise` for an empty cell (and for no other).
  [[nodiscard]] double number_or(std::string_view column, double otherwise) const;

  /// Whether the schema that the row was read by has the column.
  [[nodiscard]] bool has(std::string_view column) const;

  /// `file:line:column`, for errors about the cell's meaning.
  [[nodiscard]] std::string place(std::string_view column) const;

 private:
  std::string file_;
  std::size_t line_;
  const CsvSchema* schema_;  // outlives the row
  std::vector<std::string> cells_;
};

/// The schema version that a file's first line states; 0 if it states none, which read_csv refuses.
std::int64_t csv_version(const std::filesystem::path& file);

/// All rows of a file. Columns that the schema does not know are ignored; a schema column that is
/// missing is an error that names file, version and column. `schema` must outlive the rows.
/// Errors: DataError (file missing, unreadable, newer schema version, broken line).
std::vector<CsvRow> read_csv(const std::filesystem::path& file, const CsvSchema& schema);

/// As read_csv(), of the text of a file of that name.
std::vector<CsvRow> read_csv_text(const std::string& name, std::string content,
                                  const CsvSchema& schema);

/// Appends rows to a file, each flushed as it comes; writes schema line and header if the file is
/// new. Cells with commas or quotes are quoted; a line end within a cell becomes a blank, since a
/// row is one line.
///
/// A last line without a line end is what a killed process leaves: it is cut off when the file is
/// opened. So open the writer before you read what the file already holds.
class CsvWriter {
 public:
  /// Errors: DataError if the file cannot be written or holds another schema or header.
  CsvWriter(const std::filesystem::path& file, const CsvSchema& schema);

  /// Errors: DataError if the number of cells is wrong or the disk is full.
  void write(const std::vector<std::string>& cells);

 private:
  std::filesystem::path file_;
  std::size_t columns_;
  std::ofstream out_;
};

/// A row, and the line of a schema's columns, as CsvWriter writes them, without the line end.
std::string csv_line(const std::vector<std::string>& cells);
std::string csv_header(const CsvSchema& schema);

/// The shortest text that reads back as the same double, in any locale. NaN and infinity:
/// DataError.
std::string csv_number(double value);
std::string csv_number(std::int64_t value);

}  // namespace stepcast
