// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl_tests_log.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <span>
#include <string_view>

#include "comm/collective.hpp"
#include "core/dtype.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

using Words = std::vector<std::string_view>;

constexpr EnumNames<DType, 3> kNcclTypes{
    {{DType::fp32, "float"}, {DType::fp16, "half"}, {DType::bf16, "bfloat16"}}};

/// One timed placement of a line, as printed.
struct Printed {
  bool in_place = false;
  double time_us = 0, algbw = 0, busbw = 0;
  std::int64_t wrong = -1;
};

/// One line of numbers.
struct Line {
  std::size_t number = 0;
  DType dtype = DType::fp32;
  std::int64_t payload = 0;
  std::vector<Printed> printed;
};

class Parser {
 public:
  Parser(const std::filesystem::path& file, const NcclTestsContext& context)
      : file_(file), context_(context) {}

  NcclTestsLog read() {
    std::ifstream in(file_);
    if (!in || std::filesystem::is_directory(file_)) {
      throw DataError(file_.string() + ": cannot be opened");
    }
    for (std::string text; std::getline(in, text);) {
      ++number_;
      const std::string_view line = trimmed(text);
      if (line.starts_with('#')) {
        comment(line.substr(1));
      } else if (!line.empty() && line.front() >= '0' && line.front() <= '9') {
        numbers(words(line));
      }
    }
    return result();
  }

 private:
  [[noreturn]] void refuse(std::string_view column, const std::string& why) const {
    throw DataError(fmt::format("{}:{}:{}: {}", file_.string(), number_, column, why));
  }

  double number(std::string_view text, std::string_view column) const {
    const std::optional<double> value = parse_number(text);
    if (!value || *value < 0.0) refuse(column, fmt::format("'{}' is not a number", text));
    return *value;
  }

  /// The whole number behind a word such as "ranks:".
  static std::optional<std::int64_t> behind(const Words& line, std::string_view word,
                                            std::size_t from = 0) {
    for (std::size_t i = from; i + 1 < line.size(); ++i) {
      if (line[i] == word) return parse_integer(line[i + 1]);
    }
    return std::nullopt;
  }

  void comment(std::string_view text) {
    const Words line = words(text);
    if (text.find("nccl-tests version") != std::string_view::npos && line.size() >= 3) {
      version_ = line[2];
    }
    for (const std::string_view word : line) {
      if (word.starts_with("nccl-library=")) library(word.substr(13));
      if (word.ends_with("_perf") && text.find("Collective test") != std::string_view::npos &&
          word != "all_reduce_perf") {
        refuse("collective", fmt::format("'{}' is not all_reduce_perf", word));
      }
    }
    if (text.find("iters:") != std::string_view::npos) {
      for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        // "warmup iters: 1 iters: 50 agg iters: 1": the plain one counts.
        const bool plain = i == 0 || (line[i - 1] != "warmup" && line[i - 1] != "agg");
        if (line[i] == "iters:" && plain) log_.iterations = parse_integer(line[i + 1]).value_or(0);
      }
      graph_ = behind(line, "graph:").value_or(0) > 0;
    }
    if (line.size() > 6 && line[0] == "Rank" && parse_integer(line[1])) device(line);
    if (const auto ranks = behind(line, "ranks:")) stated_ranks_ = ranks;
    if (const auto nodes = behind(line, "nodes:")) stated_nodes_ = nodes;
  }

  /// 22803 is 2.28.3.
  void library(std::string_view code) {
    if (const auto n = parse_integer(code); n && *n > 10000) {
      log_.nccl_version = fmt::format("{}.{}.{}", *n / 10000, *n / 100 % 100, *n % 100);
    }
  }

  /// Rank  0 Group  0 Pid   1341 on  host device  0 [0000:00:06] NVIDIA H200
  void device(const Words& line) {
    ++rank_lines_;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      if (line[i] == "on") hosts_.insert(std::string(line[i + 1]));
      if (line[i].starts_with('[') && log_.gpu.empty()) {
        std::string name;
        for (std::size_t j = i + 1; j < line.size(); ++j) {
          name += (name.empty() ? "" : " ") + std::string(line[j]);
        }
        log_.gpu = name;
      }
    }
  }

  void numbers(const Words& line) {
    if (line.size() < 3) refuse("size", "the line is cut");
    const auto size = parse_integer(line[0]);
    const auto count = parse_integer(line[1]);
    if (!size) refuse("size", fmt::format("'{}' is not a whole number", line[0]));
    if (!count) refuse("count", fmt::format("'{}' is not a whole number", line[1]));
    const auto dtype = enum_value(kNcclTypes, line[2]);
    if (!dtype) refuse("type", fmt::format("'{}' is none of float half bfloat16", line[2]));
    if (*count * element_bytes(*dtype) != *size) {
      refuse("count", fmt::format("{} elements of {} are not {} bytes", *count, line[2], *size));
    }
    std::span<const std::string_view> rest(line);
    rest = rest.subspan(3);
    if (!rest.empty() && rest[0].find_first_not_of("abcdefghijklmnopqrstuvwxyz") == rest[0].npos) {
      if (rest[0] != "sum") refuse("redop", fmt::format("'{}' is not sum", rest[0]));
      rest = rest.subspan(1);
    }
    if (rest.size() % 2 == 1) {
      if (!parse_integer(rest[0])) refuse("root", fmt::format("'{}' is no rank", rest[0]));
      rest = rest.subspan(1);
    }
    if (rest.size() != 6 && rest.size() != 8) refuse("time", "the line is cut or garbled");
    if (*size == 0) return;
    Line parsed{number_, *dtype, *size, {}};
    const std::size_t half = rest.size() / 2;
    parsed.printed.push_back(printed(rest.first(half), false, *size));
    parsed.printed.push_back(printed(rest.last(half), true, *size));
    lines_.push_back(std::move(parsed));
  }

  Printed printed(std::span<const std::string_view> cells, bool in_place, std::int64_t size) const {
    Printed one;
    one.in_place = in_place;
    one.time_us = number(cells[0], "time");
    one.algbw = number(cells[1], "algbw");
    one.busbw = number(cells[2], "busbw");
    if (!(one.time_us > 0.0)) refuse("time", fmt::format("'{}' is not above 0", cells[0]));
    if (cells.size() == 4 && cells[3] != "N/A") {
      // Before 2.11 the column held the largest error, such as 2e-07, which is no count.
      const double wrong = number(cells[3], "#wrong");
      if (wrong == std::floor(wrong) && wrong < 9e18) one.wrong = static_cast<std::int64_t>(wrong);
    }
    const double computed = static_cast<double>(size) / one.time_us * 1e-3;
    if (std::abs(computed - one.algbw) > 0.01 + 0.01 * computed) {
      refuse("algbw", fmt::format("{} GB/s does not follow from {} bytes in {} us", one.algbw, size,
                                  one.time_us));
    }
    return one;
  }

  std::int64_t known(std::string_view what, std::optional<std::int64_t> given,
                     std::optional<std::int64_t> listed, std::optional<std::int64_t> stated) const {
    const auto of_log = listed ? listed : stated;
    if (given && of_log && *given != *of_log) {
      throw DataError(fmt::format("{}: {}: {} were given, the log says {}", file_.string(), what,
                                  *given, *of_log));
    }
    const auto value = given ? given : of_log;
    if (!value)
      throw DataError(
          fmt::format("{}: {}: the log does not state them; give them", file_.string(), what));
    if (*value < 1)
      throw DataError(fmt::format("{}: {}: {} is below 1", file_.string(), what, *value));
    return *value;
  }

  NcclTestsLog result() {
    if (lines_.empty()) throw DataError(file_.string() + ": holds no line of numbers");
    const auto listed = [](std::int64_t n) { return n > 0 ? std::optional(n) : std::nullopt; };
    log_.ranks = known("ranks", context_.ranks, listed(rank_lines_), stated_ranks_);
    log_.nodes = known("nodes", context_.nodes, listed(static_cast<std::int64_t>(hosts_.size())),
                       stated_nodes_);
    log_.tool = version_.empty() ? "nccl-tests" : "nccl-tests " + version_;
    if (graph_) log_.tool += " graph";
    for (const Line& line : lines_) {
      number_ = line.number;
      for (const Printed& printed : line.printed) log_.rows.push_back(row(line, printed));
    }
    return std::move(log_);
  }

  AllreduceRow row(const Line& line, const Printed& printed) const {
    const double factor = bus_factor(log_.ranks);
    // Both are rounded to 0.01 GB/s.
    if (std::abs(printed.busbw - factor * printed.algbw) >
        0.005 * (1.0 + factor) + 1e-6 * printed.busbw + 0.001) {
      refuse("busbw", fmt::format("{} GB/s is not {:.4g} times {} GB/s, as {} ranks have it",
                                  printed.busbw, factor, printed.algbw, log_.ranks));
    }
    AllreduceRow row;
    row.tool = log_.tool;
    row.collective = "allreduce";
    row.dtype = name(line.dtype);
    row.payload_bytes = line.payload;
    row.in_place = printed.in_place;
    row.ranks = log_.ranks;
    row.nodes = log_.nodes;
    row.run = context_.run;
    row.source = file_.filename().string();
    if (printed.wrong > 0) {
      row.status = RowStatus::failed;
      row.reason = fmt::format("{} wrong elements", printed.wrong);
      return row;
    }
    if (log_.ranks == 1) {
      row.status = RowStatus::unsupported;
      row.reason = "no communication (1 rank)";
      return row;
    }
    const Seconds time = microseconds(printed.time_us);
    const Bytes payload(static_cast<double>(line.payload));
    row.median_s = row.mean_rank_s = time.count();
    row.iterations = log_.iterations;
    row.algbw_bytes_per_s = algorithm_bandwidth(payload, time).count();
    row.busbw_bytes_per_s = bus_bandwidth(log_.ranks, payload, time).count();
    row.wrong_elements = printed.wrong;
    return row;
  }

  std::filesystem::path file_;
  NcclTestsContext context_;
  std::size_t number_ = 0;
  NcclTestsLog log_;
  std::string version_;
  bool graph_ = false;
  std::int64_t rank_lines_ = 0;
  std::set<std::string> hosts_;
  std::optional<std::int64_t> stated_ranks_, stated_nodes_;
  std::vector<Line> lines_;
};

}  // namespace

NcclTestsLog read_nccl_tests_log(const std::filesystem::path& file,
                                 const NcclTestsContext& context) {
  return Parser(file, context).read();
}

}  // namespace stepcast
