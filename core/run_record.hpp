// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// run.json: which runs a profile's rows come from. {"schema": 1, "runs": [...]}; a run is an object
// with id, started (UTC, ISO 8601), seconds, program, command, commit, method_version, gpu{...},
// libraries{...}, host{...}, protocol{...}.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stepcast {

inline constexpr int kRunSchema = 1;

/// The file's content, or an empty list of runs if the file is absent.
/// Errors: DataError for what is not JSON, or a newer schema (names file and version).
nlohmann::json read_runs(const std::filesystem::path& file);

/// Adds a run, or replaces the one with its id; the file is replaced whole (written beside,
/// renamed).
void write_run(const std::filesystem::path& file, const nlohmann::json& run);

/// An id for a run that starts now: r<UTC date and time>-<process id>.
std::string new_run_id();

}  // namespace stepcast
