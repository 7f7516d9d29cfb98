// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The built program, run as a user runs it, and its text held against tests/golden/.

#include <filesystem>
#include <string>

namespace stepcast::testing {

struct ProgramResult {
  int code = 0;
  std::string out, error;
};

/// `stepcast <arguments>` in `folder`; arguments as in a shell.
ProgramResult run_stepcast(const std::string& arguments, const std::filesystem::path& folder);

/// Fails the test unless `text` is that of tests/golden/<name>. With STEPCAST_UPDATE_GOLDEN set the
/// file is written instead, and the change is for the reviewer to read.
void expect_golden(const std::string& name, const std::string& text);

/// The text of tests/golden/<name>.
std::string golden(const std::string& name);

/// CSV whose fractions are cut to six digits, so that golden files hold on every machine.
std::string rounded_csv(const std::string& csv);

}  // namespace stepcast::testing
