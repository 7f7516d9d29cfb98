// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the program finds what it ships with: profiles, GPUs, measured runs; and its siblings.

#include <filesystem>

namespace stepcast {

/// The running program's own file.
std::filesystem::path own_executable();

/// The environment's STEPCAST_DATA, else ../share/stepcast/data beside the program's folder
/// (installed), else the source tree's data folder.
/// Errors: DataError that names all places that were tried.
std::filesystem::path data_dir();

/// A profile's folder: the path as given; a bare name that is no folder here is looked for in
/// data_dir()/profiles.
std::filesystem::path profile_dir(const std::filesystem::path& given);

}  // namespace stepcast
