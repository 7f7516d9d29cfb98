// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One table, three forms: aligned text for people, CSV and JSON for programs, with the same fields.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "comm/fit.hpp"

namespace stepcast {

enum class OutputFormat { table, csv, json };

struct Column {
  std::string title;      // in the text form, with its unit where it has one
  std::string field;      // in CSV and JSON; ends in its unit
  int decimals = 0;       // of a double
  bool percent = false;   // a ratio, printed in the text form as percent
  bool origin = false;    // its numbers say where they came from
  bool text_form = true;  // false: CSV and JSON only
};

struct Cell {
  std::variant<std::monostate, std::string, std::int64_t, double> value;  // empty: "-"
  std::optional<Origin> origin;
};

Cell word_cell(std::string_view words);
Cell whole_cell(std::int64_t number);
Cell number_cell(double number, std::optional<Origin> origin = std::nullopt);

struct Table {
  std::string title;  // one line above the text form
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Aligned columns: text to the left, numbers to the right, the origin's letter behind the number.
std::string text_table(const Table& table);

/// Header and rows; `field` has one more column, with its unit replaced by "origin", where the
/// column has origins. Doubles read back exactly.
std::string csv_table(const Table& table);

/// A list of objects with the CSV's fields; null for an empty cell.
nlohmann::ordered_json json_rows(const Table& table);

/// Fields of tables are concatenated row by row in CSV, so tables given together must have the same
/// columns. `about` becomes the JSON object's first fields.
std::string csv_tables(const std::vector<Table>& tables);

}  // namespace stepcast
