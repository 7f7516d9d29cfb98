// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace stepcast {

std::string progress_line(std::size_t done, std::size_t cases, const std::string& name) {
  constexpr std::size_t kWidth = 20;
  const std::size_t total = std::max<std::size_t>(cases, 1);
  const std::size_t filled = std::min(kWidth, kWidth * done / total);
  return fmt::format("[{}{}] {} %  {}/{} {}", std::string(filled, '#'),
                     std::string(kWidth - filled, '-'), 100 * done / total, done, cases, name);
}

ProgressBar::ProgressBar(std::size_t cases, bool shown)
    : cases_(cases), shown_(shown), terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::begin(const std::string& name) {
  if (!shown_) return;
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", progress_line(done_, cases_, name),
             terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressBar::end() {
  if (!shown_) return;
  ++done_;
  if (terminal_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace stepcast
