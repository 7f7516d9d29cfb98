// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile's run: the distinct ops of the cases, timed in order, a row at a time into the folder.

#include <span>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/options.hpp"

namespace stepcast {

/// Times what options.profile does not hold yet and appends ops.csv, ceilings.csv and run.json.
/// Rows reach the disk as they come; an interrupt ends the run after the op that is being timed.
/// Gives the exit code: 0, or 130 after an interrupt.
/// Errors: DataError for a profile of another GPU or a folder that cannot be written; LibraryError;
/// DeviceLost, after which another process with the same environment continues the run.
int run_profile(const BenchOptions& options, std::span<const Case> cases,
                const std::vector<std::string>& command);

}  // namespace stepcast
