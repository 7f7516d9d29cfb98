// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starting the GPU half's programs: beside this one, else on PATH; by arguments, never by a shell.

#include <filesystem>
#include <string>
#include <vector>

namespace stepcast {

/// The program `name` beside this one's file, else in PATH.
/// Errors: DataError that begins with the name and says how to build it.
std::filesystem::path find_sibling(const std::string& name);

/// Runs a program with our standard streams and environment, and waits for it.
/// Returns its exit code, or 128 plus the number of the signal that ended it.
/// Errors: DataError if it cannot be started.
int run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace stepcast
