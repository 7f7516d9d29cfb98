// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the processes and runs before this one have left in a profile's run.json.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/profile.hpp"

namespace stepcast {

/// A run that a process before this one has begun, and lost its GPU in.
struct ContinuedRun {
  nlohmann::json record;
  std::vector<CeilingRow> ceilings;  // of that run
};

/// The run of the process that this one follows, if there is one.
/// Errors: DataError as read_runs() and read_ceilings() have it.
std::optional<ContinuedRun> continued_run(const std::filesystem::path& folder);

/// Lets a process that is started in place of this one continue the run.
void let_next_process_continue(const std::string& run);

/// Whether a run of the profile, which is of one GPU, has the clock that a block loop sustains.
/// Errors: DataError as read_runs() has it.
bool has_sustained_clock(const std::filesystem::path& folder);

}  // namespace stepcast
