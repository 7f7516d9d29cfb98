// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/csv.hpp"

#include <libfccp/csv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMaxColumns = 40;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string slurp(const std::filesystem::path& file) {
  // A folder opens as a stream and fails only at the first read.
  if (std::filesystem::is_directory(file)) {
    throw DataError(file.string() + ": is a folder, not a CSV file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw DataError(file.string() + ": cannot be opened");
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw DataError(file.string() + ": cannot be read");
  return content;
}

std::string schema_line(const CsvSchema& schema) {
  return "# stepcast " + std::string(schema.kind) + " schema " + std::to_string(schema.version);
}

/// The version that the file's first line states. Errors: DataError if it states none, one of
/// another kind, or a newer one than the schema's.
int check_schema_line(const std::string& file, std::string_view first, const CsvSchema& schema) {
  const std::string here = file + ":1: ";
  const std::vector<std::string_view> parts = words(first);
  if (parts.size() != 5 || parts[0] != "#" || parts[1] != "stepcast" || parts[3] != "schema") {
    throw DataError(here + "the first line is not '" + schema_line(schema) + "'");
  }
  if (parts[2] != schema.kind) {
    throw DataError(here + "this is a file of kind '" + std::string(parts[2]) + "', not '" +
                    std::string(schema.kind) + "'");
  }
  const std::optional<std::int64_t> version = parse_integer(parts[4]);
  if (!version || *version < 1) {
    throw DataError(here + "schema version '" + std::string(parts[4]) +
                    "' is not a number above 0");
  }
  if (*version > schema.version) {
    throw DataError(here + std::string(schema.kind) + " schema " + std::string(parts[4]) +
                    " is newer than this program, which reads up to " +
                    std::to_string(schema.version));
  }
  return static_cast<int>(*version);
}

[[noreturn]] void throw_missing_column(const std::string& file, std::size_t line,
                                       const std::string& which, std::string_view column) {
  std::string text = file + ":" + std::to_string(line) + ": ";
  text += which;
  text += "column '";
  text += column;
  text += "' is missing";
  throw DataError(text);
}

/// libfccp as a table of text: reader of exactly N columns, picked at run time.
template <std::size_t N>
using FccpReader = io::CSVReader<static_cast<unsigned>(N), io::trim_chars<' ', '\t'>,
                                 io::double_quote_escape<',', '"'>, io::throw_on_overflow,
                                 io::single_and_empty_line_comment<'#'>>;

template <std::size_t... I>
std::vector<CsvRow> read_columns(const std::string& file, const std::string& content,
                                 const CsvSchema& schema, const std::string& which,
                                 std::index_sequence<I...> /*columns*/) {
  constexpr std::size_t kColumns = sizeof...(I);
  FccpReader<kColumns> reader(file, content.data(), content.data() + content.size());
  reader.read_header(io::ignore_extra_column | io::ignore_missing_column,
                     std::string(schema.columns[I])...);
  for (const std::string_view column : schema.columns) {
    if (!reader.has_column(std::string(column))) {
      throw_missing_column(file, reader.get_file_line(), which, column);
    }
  }
  std::vector<CsvRow> rows;
  std::array<std::string, kColumns> cells;
  while (reader.read_row(cells[I]...)) {
    rows.emplace_back(file, reader.get_file_line(), schema,
                      std::vector<std::string>(cells.begin(), cells.end()));
  }
  return rows;
}

using Reader = std::vector<CsvRow> (*)(const std::string&, const std::string&, const CsvSchema&,
                                       const std::string&);

template <std::size_t N>
std::vector<CsvRow> read_n(const std::string& file, const std::string& content,
                           const CsvSchema& schema, const std::string& which) {
  return read_columns(file, content, schema, which, std::make_index_sequence<N>());
}

template <std::size_t... N>
constexpr std::array<Reader, sizeof...(N)> readers(std::index_sequence<N...> /*from 0*/) {
  return {&read_n<N + 1>...};
}

constexpr auto kReaders = readers(std::make_index_sequence<kMaxColumns>());

std::string csv_cell(std::string_view cell) {
  std::string text;
  for (const char c : cell) {
    // A row is one line, whatever a library's message holds.
    text += c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
  }
  const bool plain = !text.empty() && text.find_first_of(",\"") == std::string::npos &&
                     text.front() != '#' && trimmed(text).size() == text.size();
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string joined(const CsvSchema& schema) {
  std::string line;
  for (const std::string_view column : schema.columns) {
    if (!line.empty()) line += ',';
    line += column;
  }
  return line;
}

/// What a file that will be appended to lacks: schema line, header, both or neither.
/// Errors: DataError if it holds another schema or header.
std::string missing_head(const std::string& file, std::string_view content,
                         const CsvSchema& schema) {
  std::string head;
  if (!schema.kind.empty()) {
    if (content.empty()) {
      head = schema_line(schema) + "\n";
    } else {
      const std::string_view first = split(content, '\n').front();
      const int version = check_schema_line(file, first, schema);
      if (version != schema.version) {
        throw DataError(file + ":1: " + std::string(schema.kind) + " schema " +
                        std::to_string(version) + " cannot be appended to; this program writes " +
                        std::to_string(schema.version));
      }
    }
  }
  std::size_t number = 0;
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    if (text != joined(schema)) {
      throw DataError(file + ":" + std::to_string(number) + ": the header is '" +
                      std::string(text) + "', not '" + joined(schema) + "'");
    }
    return head;
  }
  return head + joined(schema) + "\n";
}

}  // namespace

CsvRow::CsvRow(std::string file, std::size_t line, const CsvSchema& schema,
               std::vector<std::string> cells)
    : file_(std::move(file)), line_(line), schema_(&schema), cells_(std::move(cells)) {}

const std::string& CsvRow::text(std::string_view column) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (schema_->columns[i] == column) return cells_[i];
  }
  throw DataError(place(column) + ": there is no such column");
}

bool CsvRow::has(std::string_view column) const {
  return std::find(schema_->columns.begin(), schema_->columns.end(), column) !=
         schema_->columns.end();
}

double CsvRow::number(std::string_view column) const {
  const std::string& cell = text(column);
  if (const std::optional<double> value = parse_number(cell)) return *value;
  throw DataError(place(column) + ": '" + cell + "' is not a number");
}

std::int64_t CsvRow::integer(std::string_view column) const {
  const std::string& cell = text(column);
  if (const std::optional<std::int64_t> value = parse_integer(cell)) return *value;
  throw DataError(place(column) + ": '" + cell + "' is not a whole number");
}

double CsvRow::number_or(std::string_view column, double otherwise) const {
  return text(column).empty() ? otherwise : number(column);
}

std::string CsvRow::place(std::string_view column) const {
  return file_ + ":" + std::to_string(line_) + ":" + std::string(column);
}

std::int64_t csv_version(const std::filesystem::path& file) {
  std::string first;
  std::ifstream in(file, std::ios::binary);
  std::getline(in, first);
  const std::vector<std::string_view> parts = words(first);
  if (parts.size() != 5 || parts[3] != "schema") return 0;
  return parse_integer(parts[4]).value_or(0);
}

std::vector<CsvRow> read_csv(const std::filesystem::path& file, const CsvSchema& schema) {
  return read_csv_text(file.string(), slurp(file), schema);
}

std::vector<CsvRow> read_csv_text(const std::string& name, std::string content,
                                  const CsvSchema& schema) {
  if (schema.columns.empty() || schema.columns.size() > kMaxColumns) {
    throw DataError(name + ": a schema has 1 to " + std::to_string(kMaxColumns) + " columns");
  }
  if (content.find('\0') != std::string::npos) {
    throw DataError(name + ": holds a NUL byte; it is not text");
  }
  std::string_view text = content;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (trimmed(text).empty()) throw DataError(name + ": is empty; a header line is missing");
  std::string which;
  if (!schema.kind.empty()) {
    const int version = check_schema_line(name, split(text, '\n').front(), schema);
    which = std::string(schema.kind) + " schema " + std::to_string(version) + ": ";
  }
  // libfccp looks one byte behind a last line that has no line end.
  if (content.back() != '\n') content += '\n';
  // libfccp counts no line while it reads the header.
  const auto at = [&name](int line) {
    return line > 0 ? name + ":" + std::to_string(line) : name + ": the header";
  };
  try {
    return kReaders[schema.columns.size() - 1](name, content, schema, which);
  } catch (const io::error::header_missing&) {
    throw DataError(name + ": " + which + "the header line is missing");
  } catch (const io::error::duplicated_column_in_header& error) {
    throw DataError(name + ": " + which + "column '" + error.column_name + "' stands there twice");
  } catch (const io::error::too_few_columns& error) {
    throw DataError(at(error.file_line) + ": has too few cells");
  } catch (const io::error::too_many_columns& error) {
    throw DataError(at(error.file_line) + ": has too many cells");
  } catch (const io::error::escaped_string_not_closed& error) {
    throw DataError(at(error.file_line) + ": a quote is not closed");
  } catch (const io::error::line_length_limit_exceeded& error) {
    throw DataError(at(error.file_line) + ": the line is too long");
  } catch (const io::error::base& error) {
    throw DataError(name + ": " + error.what());
  }
}

CsvWriter::CsvWriter(const std::filesystem::path& file, const CsvSchema& schema)
    : file_(file), columns_(schema.columns.size()) {
  const std::string name = file.string();
  std::string content;
  if (std::filesystem::exists(file)) {
    content = slurp(file);
  }
  const std::size_t size = content.size();
  // A process that was killed while it wrote leaves half a line; npos + 1 is 0.
  content.resize(content.rfind('\n') + 1);
  std::string_view text = content;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string head = missing_head(name, text, schema);
  if (size != content.size()) {
    std::error_code error;
    std::filesystem::resize_file(file, content.size(), error);
    if (error) throw DataError(name + ": cannot be shortened: " + error.message());
  }
  out_.open(file, std::ios::binary | std::ios::app);
  out_ << head << std::flush;
  if (!out_) throw DataError(name + ": cannot be written");
}

void CsvWriter::write(const std::vector<std::string>& cells) {
  if (cells.size() != columns_) {
    throw DataError(file_.string() + ": a row of " + std::to_string(cells.size()) +
                    " cells was given to " + std::to_string(columns_) + " columns");
  }
  out_ << csv_line(cells) + "\n" << std::flush;
  if (!out_) throw DataError(file_.string() + ": cannot be written; is the disk full?");
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    // An empty cell is empty, except where it would leave an empty line.
    if (!cells[i].empty() || cells.size() == 1) line += csv_cell(cells[i]);
  }
  return line;
}

std::string csv_header(const CsvSchema& schema) { return joined(schema); }

std::string csv_number(double value) {
  if (!std::isfinite(value)) throw DataError("a number for a CSV file is not finite");
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), error == std::errc() ? end : text.data()};
}

std::string csv_number(std::int64_t value) { return std::to_string(value); }

}  // namespace stepcast
