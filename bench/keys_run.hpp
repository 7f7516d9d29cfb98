// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ops by their keys, timed as they are asked for: the rows of ops.csv on the standard output.

#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/measurement.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// The n-th measurement of an op, n from 0.
using MeasureOp = std::function<const Measurement&(const Op&, std::size_t)>;

/// Writes `# run <record>` and the header of ops.csv, then for each line of `keys` the rows of that
/// op and an empty line, flushed. A key that comes again is timed again, with the plan that the
/// first time found. Blank lines and those that begin with '#' are passed over. A line that is no
/// key is answered with `# <name>:<line>: ...` and an empty line. Gives the number of such lines.
/// Errors: those of measure; DeviceLost behind the rows of an op that ended the use of the GPU.
int answer_keys(std::istream& keys, const std::string& name, const nlohmann::json& run,
                const MeasureOp& measure, std::ostream& out);

}  // namespace stepcast
