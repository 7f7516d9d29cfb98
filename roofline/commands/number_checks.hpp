// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks of numbers in options, with texts that say what was expected.

#include <CLI/CLI.hpp>

namespace stepcast {

/// A whole number above 0.
CLI::Validator positive_whole();

/// A number above 0.
CLI::Validator positive_number();

}  // namespace stepcast
