// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Progress: a bar on stderr with the time that is left, for runs of minutes.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace stepcast {

class Progress {
 public:
  Progress(bool enabled, std::size_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Says what comes now, after `done` of the total. On a terminal the line is redrawn; elsewhere a
  /// line is printed every ten seconds.
  void show(std::size_t done, std::string_view now);

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool terminal_;
  std::size_t total_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

/// `[#####               ] 128/512  25 %  ETA 3:05  <now>`
std::string progress_line(std::size_t done, std::size_t total, double spent_s,
                          std::string_view now);

}  // namespace stepcast
