// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cases: what stepcast-bench registers. One a place of an op in a model, and one a block and
// direction; a case's name is its benchmark's name.

#include <span>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "layers/op.hpp"

namespace stepcast {

struct Case {
  std::string name;
  std::vector<Op> ops;  // one, or a block's in order
};

/// What Google Benchmark adds to a name that is timed by hand in one iteration.
inline constexpr std::string_view kNameSuffix = "/iterations:1/manual_time";

struct Cases {
  std::vector<Case> cases;
  std::vector<std::string> notes;  // what was left out, and why
};

/// All cases that the options choose, in the order of the steps. The name of a place in an eager
/// step is <model>/ + place_name(); in another recipe's step the recipe's name follows. What a
/// recipe refuses (a layout, a precision) is left out, and a note gives its reason. In e4m3 there
/// are the three products of each linear layer alone, where the fused recipe has them. Errors:
/// DataError from make_model.
Cases list_cases(const BenchOptions& options);

/// What tells a case's work from others': two cases with one identity are one measurement.
std::string identity(const Case& chosen);

/// The cases whose benchmark name the filter finds, as Google Benchmark finds them: an extended
/// regular expression, "all" or "" for all, a leading '-' for all but those.
/// Errors: UsageError for what is no regular expression.
std::vector<Case> filtered(std::vector<Case> cases, const std::string& filter);

/// The distinct ops of all cases of one op, in order.
std::vector<Op> distinct_ops(std::span<const Case> cases);

}  // namespace stepcast
