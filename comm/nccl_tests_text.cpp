// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "comm/log_line.hpp"
#include "comm/nccl_tests_table.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

using Words = std::vector<std::string_view>;

/// The whole number behind a word such as "ranks:".
std::optional<std::int64_t> behind(const Words& line, std::string_view word) {
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == word) return parse_integer(line[i + 1]);
  }
  return std::nullopt;
}

/// How many of its first words are numbers, or "N/A".
std::size_t leading_numbers(std::span<const std::string_view> words) {
  std::size_t count = 0;
  while (count < words.size() && (words[count] == "N/A" || parse_number(words[count]))) ++count;
  return count;
}

class TextReader {
 public:
  explicit TextReader(std::string file) : file_(std::move(file)) {}

  PrintedLog read(std::string_view content) {
    while (!content.empty()) {
      ++number_;
      const std::size_t end = content.find('\n');
      ends_here_ = end == std::string_view::npos;
      const std::string line = plain_line(content.substr(0, end));
      content.remove_prefix(ends_here_ ? content.size() : end + 1);
      if (line.starts_with('#')) {
        comment(std::string_view(line).substr(1));
      } else {
        measured(words(line));
      }
    }
    finish_run();
    return std::move(log_);
  }

 private:
  std::string place() const { return fmt::format("{}:{}", file_, number_); }

  [[noreturn]] void refuse(std::string_view column, const std::string& why) const {
    throw DataError(fmt::format("{}:{}: {}", place(), column, why));
  }
  void leave_out(std::string_view column, const std::string& why) {
    log_.left_out.push_back(fmt::format("{}:{}: {}", place(), column, why));
  }

  void finish_run() {
    if (!run_.lines.empty()) log_.runs.push_back(std::move(run_));
    run_ = {};
    head_ = {};
    other_collective_.clear();
  }
  /// What a program prints first begins a new run, if the last one has printed times.
  void header_line() {
    if (!run_.lines.empty() || !other_collective_.empty()) finish_run();
  }

  void comment(std::string_view text) {
    const Words line = words(text);
    if (line.empty()) return;
    if (text.find("nccl-tests version") != std::string_view::npos && line.size() >= 3) {
      header_line();
      run_.version = line[2];
    }
    for (const std::string_view word : line) {
      if (word.starts_with("nccl-library=")) {
        run_.nccl_version = nccl_version_text(parse_integer(word.substr(13)).value_or(0));
      }
    }
    if (text.find("Collective test starting:") != std::string_view::npos) {
      if (!run_.lines.empty()) header_line();
      other_collective_.clear();
      if (line.back().find("all_reduce_perf") == std::string_view::npos) {
        other_collective_ = line.back();
        leave_out("collective", fmt::format("'{}' is not all_reduce_perf", line.back()));
      }
    }
    if (line[0] == "nThread") {
      if (!run_.lines.empty()) header_line();
      protocol(line);
    }
    if (line[0] == "Rank" && line.size() > 6 && parse_integer(line[1])) device(line);
    if (line[0] == "size") columns(line);
    if (text.find("Out of bounds values") != std::string_view::npos && line.back() == "FAILED") {
      run_.out_of_bounds = behind(line, ":").value_or(1);
    }
    if (const auto ranks = behind(line, "ranks:")) {
      if (!run_.lines.empty()) finish_run();  // the next of several condensed tables
      run_.ranks = ranks;
    }
    if (const auto nodes = behind(line, "nodes:")) run_.nodes = nodes;
  }

  /// nThread 1 nGpus 8 ... warmup iters: 1 iters: 50 agg iters: 1 validation: 1 graph: 0
  void protocol(const Words& line) {
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      const bool plain = line[i - 1] != "warmup" && line[i - 1] != "agg";
      if (line[i] == "iters:" && plain) run_.iterations = parse_integer(line[i + 1]).value_or(0);
    }
    run_.graph = behind(line, "graph:").value_or(0) > 0;
  }

  /// Rank  0 Group  0 Pid   1341 on  host device  0 [0000:00:06] NVIDIA H200
  void device(const Words& line) {
    if (run_.devices > 0 && parse_integer(line[1]) == 0) {
      refuse("rank", "there are two ranks 0: built without MPI, each process measured by itself");
    }
    ++run_.devices;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      if (line[i] == "on") run_.hosts.insert(std::string(line[i + 1]));
      if (!line[i].starts_with('[') || !run_.gpu.empty()) continue;
      for (std::size_t j = i + 1; j < line.size(); ++j) {
        run_.gpu += (run_.gpu.empty() ? "" : " ") + std::string(line[j]);
      }
    }
  }

  /// size count type [redop] [root] time algbw busbw [#wrong [i_min ...]], the last ones twice.
  void columns(const Words& line) {
    std::vector<std::size_t> times;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == "cputime") refuse("time", "these are the host's times (-C), not the GPU's");
      if (line[i] == "time") times.push_back(i);
    }
    if (times.size() != 2) return;
    head_.root = line[times[0] - 1] == "root";
    head_.cells = 2 * (times[1] - times[0]);  // behind them there may be a timestamp
  }

  void measured(Words line) {
    if (line.empty() || !parse_integer(line[0])) return;  // another program's
    if (line.size() > 1 && !parse_integer(line[1])) return;
    if (!other_collective_.empty()) return;
    if (line.size() < 3) {
      if (ends_here_) leave_out("size", "the line is cut off");
      return;
    }
    const std::int64_t size = *parse_integer(line[0]);
    std::span<const std::string_view> rest(line);
    rest = rest.subspan(3);
    std::string_view reduction = "sum";
    if (!rest.empty() && rest[0] != "N/A" && !parse_number(rest[0])) {
      reduction = rest[0];
      rest = rest.subspan(1);
    }
    const std::size_t numbers = leading_numbers(rest);
    const Head head = head_of(numbers);
    if (head.cells < 6 || numbers < head.cells + (head.root ? 1 : 0)) {
      const std::string at = numbers < rest.size() ? fmt::format(" at '{}'", rest[numbers]) : "";
      return leave_out("time", "the line is cut off" + at);
    }
    const auto dtype = nccl_dtype(line[2]);
    if (!dtype) {
      return leave_out("type", fmt::format("'{}' is none of float half bfloat16", line[2]));
    }
    if (reduction != "sum") return leave_out("redop", fmt::format("'{}' is not sum", reduction));
    if (*parse_integer(line[1]) * element_bytes(*dtype) != size) {
      refuse("count", fmt::format("{} elements of {} are not {} bytes", line[1], line[2], size));
    }
    if (size == 0) return;
    if (head.root) rest = rest.subspan(1);
    const std::size_t half = head.cells / 2;
    PrintedLine parsed{place(), *dtype, size, {}};
    parsed.times = {time(rest.first(half), false), time(rest.subspan(half, half), true)};
    const PrintedTime& last = parsed.times.back();
    if (ends_here_ && half == 3 && last.busbw.rounding > last.algbw.rounding) {
      return leave_out("busbw", "the line is cut off in its last number");
    }
    run_.lines.push_back(std::move(parsed));
  }

  /// What stands behind the type and the reduction, of the two placements together.
  struct Head {
    std::size_t cells = 0;  // 0: there was no head
    bool root = false;
  };

  /// As the table's head says; without one, a line of this many numbers is taken to be whole.
  Head head_of(std::size_t numbers) const {
    if (head_.cells > 0) return head_;
    if (numbers < 6 || numbers > 9) return {};
    return {numbers / 2 * 2, numbers % 2 == 1};
  }

  PrintedTime time(std::span<const std::string_view> cells, bool in_place) const {
    PrintedTime one;
    one.in_place = in_place;
    one.time_us = number(cells[0], "time");
    one.algbw = number(cells[1], "algbw");
    one.busbw = number(cells[2], "busbw");
    if (cells.size() > 3 && cells[3] != "N/A") {
      // Before 2.11 the column held the largest error, such as 2e-07, which is no count.
      const double wrong = number(cells[3], "#wrong").value;
      const bool error = cells[3].find("e-") != std::string_view::npos || cells[3] == "0e+00";
      if (!error) one.wrong = static_cast<std::int64_t>(std::llround(std::min(wrong, 9e18)));
    }
    return one;
  }

  Printed number(std::string_view text, std::string_view column) const {
    const std::optional<Printed> value = printed(text);
    if (!value) refuse(column, fmt::format("'{}' is not a number of 0 or more", text));
    return *value;
  }

  std::string file_;
  std::size_t number_ = 0;
  bool ends_here_ = false;  // the line has no end
  Head head_;
  std::string other_collective_;  // of the run that is being read
  PrintedRun run_;
  PrintedLog log_;
};

}  // namespace

PrintedLog read_nccl_tests_text(const std::filesystem::path& file, const std::string& content) {
  return TextReader(file.string()).read(content);
}

}  // namespace stepcast
