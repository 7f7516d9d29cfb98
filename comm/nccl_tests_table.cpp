// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl_tests_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comm/collective.hpp"
#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

constexpr EnumNames<DType, 3> kNcclTypes{
    {{DType::fp32, "float"}, {DType::fp16, "half"}, {DType::bf16, "bfloat16"}}};

[[noreturn]] void refuse(const PrintedLine& line, std::string_view column, const std::string& why) {
  throw DataError(fmt::format("{}:{}: {}", line.place, column, why));
}

/// The number of ranks or nodes, which the caller and the log may both know.
std::int64_t known(const std::filesystem::path& file, std::string_view what,
                   std::optional<std::int64_t> given, std::int64_t listed,
                   std::optional<std::int64_t> stated) {
  const std::optional<std::int64_t> of_log = listed > 0 ? std::optional(listed) : stated;
  if (given && of_log && *given != *of_log) {
    throw DataError(fmt::format("{}: {}: {} were given, the log says {}", file.string(), what,
                                *given, *of_log));
  }
  const std::optional<std::int64_t> value = given ? given : of_log;
  if (!value) {
    throw DataError(
        fmt::format("{}: {}: the log does not state them; give them", file.string(), what));
  }
  if (*value < 1) {
    throw DataError(fmt::format("{}: {}: {} is below 1", file.string(), what, *value));
  }
  return *value;
}

/// Errors: DataError where time, size, ranks and rates contradict each other.
void check_rates(const PrintedLine& line, const PrintedTime& time, std::int64_t ranks) {
  if (!(time.time_us.value > 0.0)) refuse(line, "time", "0 us is not above 0");
  const double gbps = static_cast<double>(line.payload) / time.time_us.value * 1e-3;
  const double of_time = gbps * time.time_us.rounding / time.time_us.value;
  if (std::abs(gbps - time.algbw.value) > time.algbw.rounding + of_time + 1e-3 * gbps) {
    refuse(line, "algbw",
           fmt::format("{} GB/s does not follow from {} bytes in {} us", time.algbw.value,
                       line.payload, time.time_us.value));
  }
  const double factor = bus_factor(ranks);
  if (std::abs(time.busbw.value - factor * time.algbw.value) >
      time.busbw.rounding + factor * time.algbw.rounding + 1e-6 * time.busbw.value) {
    refuse(line, "busbw",
           fmt::format("{} GB/s is not {:.4g} times {} GB/s, as {} ranks have it", time.busbw.value,
                       factor, time.algbw.value, ranks));
  }
}

AllreduceRow row_of(const NcclTestsTable& table, const PrintedLine& line, const PrintedTime& time,
                    const std::string& untrusted) {
  check_rates(line, time, table.ranks);
  AllreduceRow row;
  row.tool = table.tool;
  row.collective = "allreduce";
  row.dtype = name(line.dtype);
  row.payload_bytes = line.payload;
  row.in_place = time.in_place;
  row.ranks = table.ranks;
  row.nodes = table.nodes;
  if (time.wrong > 0 || !untrusted.empty()) {
    row.status = RowStatus::failed;
    row.reason = untrusted.empty() ? fmt::format("{} wrong elements", time.wrong) : untrusted;
    return row;
  }
  if (table.ranks == 1) {
    row.status = RowStatus::unsupported;
    row.reason = "no communication (1 rank)";
    return row;
  }
  const Seconds measured = microseconds(time.time_us.value);
  const Bytes payload(static_cast<double>(line.payload));
  row.median_s = row.mean_rank_s = measured.count();
  row.iterations = table.iterations;
  row.algbw_bytes_per_s = algorithm_bandwidth(payload, measured).count();
  row.busbw_bytes_per_s = bus_bandwidth(table.ranks, payload, measured).count();
  row.wrong_elements = time.wrong;
  return row;
}

}  // namespace

std::optional<Printed> printed(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 0.0) return std::nullopt;
  const std::size_t exponent = text.find_first_of("eE");
  const std::size_t point = text.find('.');
  double unit = 1.0;
  if (exponent != std::string_view::npos) {
    unit = std::pow(
        10.0,
        parse_number(text.substr(exponent + (text[exponent + 1] == '+' ? 2 : 1))).value_or(0.0));
  }
  if (point != std::string_view::npos) {
    const std::size_t end = std::min(exponent, text.size());
    unit *= std::pow(10.0, -static_cast<double>(end - point - 1));
  }
  return Printed{*value, 0.5 * unit};
}

std::optional<DType> nccl_dtype(std::string_view name) { return enum_value(kNcclTypes, name); }

std::string nccl_version_text(std::int64_t code) {
  // 2804 is 2.8.4; from 2.9 on, 20906 is 2.9.6.
  if (code >= 10000) return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
  if (code >= 1000) return fmt::format("{}.{}.{}", code / 1000, code / 100 % 10, code % 100);
  return "";
}

NcclTestsTable make_table(const PrintedRun& run, const std::filesystem::path& file,
                          const NcclTestsContext& context) {
  NcclTestsTable table;
  table.tool = run.version.empty() ? "nccl-tests" : "nccl-tests " + run.version;
  if (run.graph) table.tool += " graph";
  table.nccl_version = run.nccl_version;
  table.gpu = run.gpu;
  table.iterations = run.iterations;
  table.ranks = known(file, "ranks", context.ranks, run.devices, run.ranks);
  table.nodes =
      known(file, "nodes", context.nodes, static_cast<std::int64_t>(run.hosts.size()), run.nodes);
  // Old versions count what is out of bounds, and do not say where.
  const bool placed = std::any_of(run.lines.begin(), run.lines.end(), [](const auto& line) {
    return std::any_of(line.times.begin(), line.times.end(),
                       [](const PrintedTime& time) { return time.wrong > 0; });
  });
  std::string untrusted;
  if (run.out_of_bounds > 0 && !placed) {
    untrusted = fmt::format("{} values of the run were out of bounds", run.out_of_bounds);
  }
  for (const PrintedLine& line : run.lines) {
    for (const PrintedTime& time : line.times) {
      table.rows.push_back(row_of(table, line, time, untrusted));
      table.rows.back().source = file.filename().string();
    }
  }
  return table;
}

}  // namespace stepcast
