// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/csv.hpp"
#include "roofline/origin.hpp"

namespace stepcast {

namespace {

/// step_ms becomes step_origin.
std::string origin_field(const std::string& field) {
  const auto unit = field.rfind("_ms");
  return (unit == std::string::npos ? field : field.substr(0, unit)) + "_origin";
}

std::string text_cell(const Cell& cell, const Column& column) {
  std::string text;
  if (const auto* words = std::get_if<std::string>(&cell.value)) {
    text = *words;
  } else if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) {
    text = fmt::format("{}", *whole);
  } else if (const auto* real = std::get_if<double>(&cell.value)) {
    text = column.percent ? fmt::format("{:.{}f} %", 100 * *real, column.decimals)
                          : fmt::format("{:.{}f}", *real, column.decimals);
  } else {
    text = "-";
  }
  // The space where a letter could be keeps the numbers of a column in line.
  if (column.origin) text += cell.origin ? fmt::format(" {}", letter(*cell.origin)) : "  ";
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string csv_cell(const Cell& cell) {
  if (const auto* words = std::get_if<std::string>(&cell.value)) return quoted(*words);
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return csv_number(*whole);
  if (const auto* real = std::get_if<double>(&cell.value)) return csv_number(*real);
  return "";
}

/// Columns of the text form that hold numbers in all rows are flushed right.
bool right_aligned(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [column](const auto& row) {
    return !std::holds_alternative<std::string>(row[column].value);
  });
}

std::string csv_header(const Table& table) {
  std::string header;
  for (const Column& column : table.columns) {
    if (!header.empty()) header += ',';
    header += column.field;
    if (column.origin) header += ',' + origin_field(column.field);
  }
  return header + '\n';
}

std::string csv_rows(const Table& table) {
  std::string text;
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += ',';
      line += csv_cell(row[c]);
      if (!table.columns[c].origin) continue;
      line += ',';
      if (row[c].origin) line += name(*row[c].origin);
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace

Cell word_cell(std::string_view words) { return {std::string(words), std::nullopt}; }
Cell whole_cell(std::int64_t number) { return {number, std::nullopt}; }
Cell number_cell(double number, std::optional<Origin> origin) { return {number, origin}; }

std::string text_table(const Table& table) {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].text_form) continue;
    shown.push_back(c);
    lines[0].push_back(table.columns[c].title + (table.columns[c].origin ? "  " : ""));
  }
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const std::size_t c : shown) lines.back().push_back(text_cell(row[c], table.columns[c]));
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::size_t width = 0;
    for (const auto& line : lines) width = std::max(width, line[i].size());
    widths.push_back(width);
  }
  std::string text = table.title.empty() ? "" : table.title + '\n';
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i > 0) out += "  ";
      out += right_aligned(table, shown[i]) ? fmt::format("{:>{}}", line[i], widths[i])
                                            : fmt::format("{:<{}}", line[i], widths[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  }
  return text;
}

std::string csv_table(const Table& table) { return csv_header(table) + csv_rows(table); }

std::string csv_tables(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    if (text.empty()) text = csv_header(table);
    text += csv_rows(table);
  }
  return text;
}

nlohmann::ordered_json json_rows(const Table& table) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Column& column = table.columns[c];
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
              object[column.field] = nullptr;
            } else {
              object[column.field] = value;
            }
          },
          row[c].value);
      if (!column.origin) continue;
      const std::string field = origin_field(column.field);
      object[field] = nullptr;
      if (row[c].origin) object[field] = name(*row[c].origin);
    }
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace stepcast
