// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verdict: what comparing an op's results with a reference of higher precision has found.

#include <cstdint>
#include <string>

namespace stepcast {

struct Verdict {
  std::int64_t checked = 0;  // elements that were compared: all of every operand that the op writes
  std::int64_t wrong = 0;    // elements further off than their tolerance; NaN and Inf always are
  double worst = 0;          // largest error over its tolerance; infinity for a NaN
  std::string fault;  // the first wrong element in words, or what is wrong with the data; empty if
                      // all is right

  [[nodiscard]] bool right() const { return checked > 0 && wrong == 0 && fault.empty(); }
};

}  // namespace stepcast
