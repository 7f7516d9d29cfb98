// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stepcast {

Progress::Progress(bool enabled, std::size_t total)
    : enabled_(enabled), terminal_(isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() {
  if (enabled_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(std::size_t done, std::string_view now) {
  if (!enabled_) return;
  const auto time = Clock::now();
  const bool due = last_ == Clock::time_point{} || time - last_ >= std::chrono::seconds(10);
  if (!terminal_ && !due) return;
  last_ = time;
  const double spent = std::chrono::duration<double>(time - start_).count();
  const std::string line = progress_line(done, total_, spent, now);
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "", line, terminal_ ? "\x1b[K" : "\n");
  std::fflush(stderr);
}

std::string progress_line(std::size_t done, std::size_t total, double spent_s,
                          std::string_view now) {
  constexpr std::size_t kWidth = 20;
  const std::size_t filled = total == 0 ? kWidth : std::min(kWidth, kWidth * done / total);
  std::string left = "-:--";
  if (done > 0) {
    const double rest =
        spent_s / static_cast<double>(done) * static_cast<double>(total - std::min(done, total));
    const auto seconds = std::lround(rest);
    left = fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  }
  return fmt::format("[{:<{}}] {}/{}  {} %  ETA {}  {}", std::string(filled, '#'), kWidth, done,
                     total, total == 0 ? 100 : 100 * done / total, left, now);
}

}  // namespace stepcast
