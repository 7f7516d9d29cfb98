// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/profile.hpp"

#include <string_view>

#include "core/dtype.hpp"
#include "core/enum_names.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

constexpr EnumNames<RowStatus, 4> kStatusNames{{{RowStatus::ok, "ok"},
                                                {RowStatus::unsupported, "unsupported"},
                                                {RowStatus::failed, "failed"},
                                                {RowStatus::throttled, "throttled"}}};

/// Reads cells of one row and refuses what is out of its range.
class Cells {
 public:
  explicit Cells(const CsvRow& row) : row_(row) {}

  [[nodiscard]] std::string required(std::string_view column) const {
    if (row_.text(column).empty()) refuse(column, "is empty");
    return row_.text(column);
  }
  [[nodiscard]] std::string text(std::string_view column) const { return row_.text(column); }
  /// Whether the file's schema has the column.
  [[nodiscard]] bool has(std::string_view column) const { return row_.has(column); }

  [[nodiscard]] std::string one_of(std::string_view column,
                                   std::initializer_list<std::string_view> choices) const {
    for (const std::string_view choice : choices) {
      if (row_.text(column) == choice) return std::string(choice);
    }
    std::string list;
    for (const std::string_view choice : choices) list += " " + std::string(choice);
    refuse(column, "is none of" + list);
  }

  [[nodiscard]] RowStatus status() const {
    const RowStatus status = parse_enum(kStatusNames, row_.text("status"), row_.place("status"));
    if (status != RowStatus::ok && row_.text("reason").empty()) refuse("reason", "is empty");
    return status;
  }

  [[nodiscard]] std::int64_t at_least(std::string_view column, std::int64_t least) const {
    const std::int64_t value = row_.integer(column);
    if (value < least) refuse(column, "is below " + std::to_string(least));
    return value;
  }
  /// As at_least(), but an empty cell is `otherwise`.
  [[nodiscard]] std::int64_t at_least_or(std::string_view column, std::int64_t least,
                                         std::int64_t otherwise) const {
    return row_.text(column).empty() ? otherwise : at_least(column, least);
  }
  [[nodiscard]] double not_negative(std::string_view column) const {
    const double value = row_.number(column);
    if (value < 0.0) refuse(column, "is negative");
    return value;
  }
  /// As not_negative(), but an empty cell is 0.
  [[nodiscard]] double not_negative_or_0(std::string_view column) const {
    return row_.text(column).empty() ? 0.0 : not_negative(column);
  }
  [[nodiscard]] double number(std::string_view column) const { return row_.number(column); }
  [[nodiscard]] double positive(std::string_view column) const {
    const double value = row_.number(column);
    if (!(value > 0.0)) refuse(column, "is not above 0");
    return value;
  }

 private:
  [[noreturn]] void refuse(std::string_view column, const std::string& why) const {
    throw DataError(row_.place(column) + ": '" + row_.text(column) + "' " + why);
  }

  const CsvRow& row_;
};

/// The columns that came with schema 2.
void read_method(const Cells& cells, OpRow& row) {
  row.math = cells.text("math");
  row.notes = cells.text("notes");
  row.written_bytes = cells.not_negative("written_bytes");
  if (row.status != RowStatus::ok) return;
  row.median_error = cells.not_negative("median_error");
  row.drift = cells.number("drift");
  row.place_difference = cells.not_negative("place_difference");
  row.stop = cells.one_of("stop", {"quiet", "settled", "time", "samples"});
  row.launch = cells.one_of("launch", {"stream", "graph"});
  row.executions = cells.at_least("executions", 1);
  row.unstable = cells.one_of("unstable", {"0", "1"}) == "1";
  row.kernels = cells.at_least_or("kernels", 0, 0);
  row.conversion_share = cells.not_negative_or_0("conversion_share");
  row.checked_elements = cells.at_least("checked_elements", 0);
  row.worst_error = cells.not_negative_or_0("worst_error");
}

OpRow op_row(const Cells& cells) {
  OpRow row;
  row.key = cells.required("key");
  row.cache = cells.one_of("cache", {"cold", "hot"});
  row.plan_rank = cells.at_least("plan_rank", 0);
  row.run = cells.required("run");
  row.status = cells.status();
  row.reason = cells.text("reason");
  if (row.status == RowStatus::ok) {
    row.median_s = cells.positive("median_s");
    row.p25_s = cells.positive("p25_s");
    row.p75_s = cells.positive("p75_s");
    row.min_s = cells.positive("min_s");
    row.p95_s = cells.positive("p95_s");
    row.samples = cells.at_least("samples", 1);
    row.noise = cells.not_negative("noise");
    row.sm_clock_mhz = cells.not_negative("sm_clock_mhz");
  }
  row.flop = cells.not_negative("flop");
  row.least_bytes = cells.not_negative("least_bytes");
  row.plans_timed = cells.at_least("plans_timed", 0);
  row.workspace_bytes = cells.at_least("workspace_bytes", 0);
  row.plan = cells.text("plan");
  if (cells.has("median_error")) read_method(cells, row);
  return row;
}

BlockRow block_row(const Cells& cells) {
  BlockRow row;
  row.block = cells.required("block");
  row.run = cells.required("run");
  row.status = cells.status();
  row.reason = cells.text("reason");
  row.ops = cells.at_least("ops", 1);
  if (row.status != RowStatus::ok) return row;
  row.median_s = cells.positive("median_s");
  row.median_error = cells.not_negative("median_error");
  row.apart_s = cells.positive("apart_s");
  row.sum_s = cells.positive("sum_s");
  row.sum_cold_s = cells.positive("sum_cold_s");
  row.sum_hot_s = cells.positive("sum_hot_s");
  row.difference = cells.number("difference");
  row.sm_clock_mhz = cells.not_negative("sm_clock_mhz");
  return row;
}

AllreduceRow allreduce_row(const Cells& cells) {
  AllreduceRow row;
  row.tool = cells.required("tool");
  row.collective = cells.one_of("collective", {"allreduce"});
  row.dtype = cells.one_of("dtype", {name(DType::fp32), name(DType::fp16), name(DType::bf16)});
  row.payload_bytes = cells.at_least("payload_bytes", 1);
  row.in_place = cells.one_of("in_place", {"0", "1"}) == "1";
  row.ranks = cells.at_least("ranks", 1);
  row.nodes = cells.at_least("nodes", 1);
  row.run = cells.required("run");
  row.status = cells.status();
  row.reason = cells.text("reason");
  if (row.status == RowStatus::ok) {
    row.median_s = cells.positive("median_s");
    row.min_rank_s = cells.not_negative_or_0("min_rank_s");
    row.mean_rank_s = cells.positive("mean_rank_s");
    row.max_rank_s = cells.not_negative_or_0("max_rank_s");
    row.iterations = cells.at_least_or("iterations", 1, 0);
    row.algbw_bytes_per_s = cells.positive("algbw_bytes_per_s");
    row.busbw_bytes_per_s = cells.not_negative("busbw_bytes_per_s");
    row.wrong_elements = cells.at_least_or("wrong_elements", 0, -1);
  }
  row.source = cells.text("source");
  return row;
}

CeilingRow ceiling_row(const Cells& cells) {
  CeilingRow row;
  row.name = cells.required("name");
  row.dtype = cells.text("dtype");
  row.unit = cells.one_of("unit", {"bytes_per_s", "flop_per_s", "s"});
  row.value = cells.positive("value");
  row.noise = cells.not_negative("noise");
  row.run = cells.required("run");
  row.method = cells.text("method");
  return row;
}

template <typename Row>
std::vector<Row> read_rows(const std::filesystem::path& file, const CsvSchema& schema,
                           Row (*convert)(const Cells&)) {
  std::vector<Row> rows;
  if (!std::filesystem::exists(file)) return rows;
  for (const CsvRow& row : read_csv(file, schema)) rows.push_back(convert(Cells(row)));
  return rows;
}

/// Empty where the row was not timed, and where the number is not known.
std::string timing(RowStatus status, double value) {
  return status == RowStatus::ok ? csv_number(value) : std::string();
}
std::string timing(RowStatus status, std::int64_t value) {
  return status == RowStatus::ok ? csv_number(value) : std::string();
}
std::string known(RowStatus status, double value) {
  return value > 0.0 ? timing(status, value) : std::string();
}
std::string known(RowStatus status, std::int64_t value, std::int64_t least) {
  return value >= least ? timing(status, value) : std::string();
}

}  // namespace

const CsvSchema& ops_schema() {
  static const CsvSchema schema{"ops",
                                2,
                                {"key",
                                 "cache",
                                 "plan_rank",
                                 "run",
                                 "status",
                                 "reason",
                                 "median_s",
                                 "p25_s",
                                 "p75_s",
                                 "min_s",
                                 "p95_s",
                                 "samples",
                                 "noise",
                                 "median_error",
                                 "drift",
                                 "place_difference",
                                 "stop",
                                 "launch",
                                 "executions",
                                 "unstable",
                                 "flop",
                                 "least_bytes",
                                 "written_bytes",
                                 "sm_clock_mhz",
                                 "plans_timed",
                                 "workspace_bytes",
                                 "plan",
                                 "math",
                                 "notes",
                                 "kernels",
                                 "conversion_share",
                                 "checked_elements",
                                 "worst_error"}};
  return schema;
}

const CsvSchema& blocks_schema() {
  static const CsvSchema schema{
      "blocks",
      1,
      {"block", "run", "status", "reason", "ops", "median_s", "median_error", "apart_s", "sum_s",
       "sum_cold_s", "sum_hot_s", "difference", "sm_clock_mhz"}};
  return schema;
}

const CsvSchema& allreduce_schema() {
  static const CsvSchema schema{
      "allreduce",
      1,
      {"tool", "collective", "dtype", "payload_bytes", "in_place", "ranks", "nodes", "run",
       "status", "reason", "median_s", "min_rank_s", "mean_rank_s", "max_rank_s", "iterations",
       "algbw_bytes_per_s", "busbw_bytes_per_s", "wrong_elements", "source"}};
  return schema;
}

const CsvSchema& ceilings_schema() {
  static const CsvSchema schema{
      "ceilings", 1, {"name", "dtype", "unit", "value", "noise", "run", "method"}};
  return schema;
}

std::vector<OpRow> read_ops(const std::filesystem::path& file) {
  static const CsvSchema first_schema{
      "ops",
      1,
      {"key", "cache", "plan_rank", "run", "status", "reason", "median_s", "p25_s", "p75_s",
       "min_s", "p95_s", "samples", "noise", "flop", "least_bytes", "sm_clock_mhz", "plans_timed",
       "workspace_bytes", "plan"}};
  return read_rows(file, csv_version(file) == 1 ? first_schema : ops_schema(), op_row);
}

std::vector<BlockRow> read_blocks(const std::filesystem::path& file) {
  return read_rows(file, blocks_schema(), block_row);
}

std::vector<AllreduceRow> read_allreduce(const std::filesystem::path& file) {
  return read_rows(file, allreduce_schema(), allreduce_row);
}

std::vector<CeilingRow> read_ceilings(const std::filesystem::path& file) {
  return read_rows(file, ceilings_schema(), ceiling_row);
}

std::vector<std::string> cells(const OpRow& row) {
  return {row.key,
          row.cache,
          csv_number(row.plan_rank),
          row.run,
          std::string(enum_name(kStatusNames, row.status)),
          row.reason,
          timing(row.status, row.median_s),
          timing(row.status, row.p25_s),
          timing(row.status, row.p75_s),
          timing(row.status, row.min_s),
          timing(row.status, row.p95_s),
          timing(row.status, row.samples),
          timing(row.status, row.noise),
          timing(row.status, row.median_error),
          timing(row.status, row.drift),
          timing(row.status, row.place_difference),
          row.status == RowStatus::ok ? row.stop : std::string(),
          row.status == RowStatus::ok ? row.launch : std::string(),
          timing(row.status, row.executions),
          row.status == RowStatus::ok ? std::string(row.unstable ? "1" : "0") : std::string(),
          csv_number(row.flop),
          csv_number(row.least_bytes),
          csv_number(row.written_bytes),
          timing(row.status, row.sm_clock_mhz),
          csv_number(row.plans_timed),
          csv_number(row.workspace_bytes),
          row.plan,
          row.math,
          row.notes,
          known(row.status, row.kernels, 1),
          timing(row.status, row.conversion_share),
          timing(row.status, row.checked_elements),
          row.checked_elements > 0 ? timing(row.status, row.worst_error) : std::string()};
}

std::vector<std::string> cells(const BlockRow& row) {
  return {row.block,
          row.run,
          std::string(enum_name(kStatusNames, row.status)),
          row.reason,
          csv_number(row.ops),
          timing(row.status, row.median_s),
          timing(row.status, row.median_error),
          timing(row.status, row.apart_s),
          timing(row.status, row.sum_s),
          timing(row.status, row.sum_cold_s),
          timing(row.status, row.sum_hot_s),
          timing(row.status, row.difference),
          timing(row.status, row.sm_clock_mhz)};
}

std::vector<std::string> cells(const AllreduceRow& row) {
  return {row.tool,
          row.collective,
          row.dtype,
          csv_number(row.payload_bytes),
          row.in_place ? "1" : "0",
          csv_number(row.ranks),
          csv_number(row.nodes),
          row.run,
          std::string(enum_name(kStatusNames, row.status)),
          row.reason,
          timing(row.status, row.median_s),
          known(row.status, row.min_rank_s),
          timing(row.status, row.mean_rank_s),
          known(row.status, row.max_rank_s),
          known(row.status, row.iterations, 1),
          timing(row.status, row.algbw_bytes_per_s),
          timing(row.status, row.busbw_bytes_per_s),
          known(row.status, row.wrong_elements, 0),
          row.source};
}

std::vector<std::string> cells(const CeilingRow& row) {
  return {row.name, row.dtype, row.unit, csv_number(row.value), csv_number(row.noise),
          row.run,  row.method};
}

}  // namespace stepcast
