// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The time of an allreduce, with where it came from and how sure it is.

#include <string>

#include "core/units.hpp"

namespace stepcast {

enum class Origin { measured, fitted, projected, bound };

/// Four of five real times lie between low and high (docs/model.md, "Allreduce", says how that was
/// judged). A measured time's interval is the time itself: its noise stands in its row.
struct AllreduceEstimate {
  Seconds time, low, high;
  Origin origin = Origin::measured;
  std::string note;  // how it was fitted and from which range; empty where measured
};

}  // namespace stepcast
