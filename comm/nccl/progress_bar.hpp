// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line on stderr that says how far a run is.

#include <cstddef>
#include <string>

namespace stepcast {

class ProgressBar {
 public:
  /// Nothing is shown where `shown` is false. On a terminal the line is drawn over; elsewhere each
  /// is a line.
  ProgressBar(std::size_t cases, bool shown);

  void begin(const std::string& name);
  /// Takes the line away, so that the result can be printed in its place.
  void end();

 private:
  std::size_t cases_;
  std::size_t done_ = 0;
  bool shown_;
  bool terminal_;
};

/// [#####---------------] 25 %  21/84 name
std::string progress_line(std::size_t done, std::size_t cases, const std::string& name);

}  // namespace stepcast
