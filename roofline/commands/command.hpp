// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A subcommand: its parser, and what it does once its options are read.

#include <CLI/CLI.hpp>
#include <functional>

namespace stepcast {

struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> run;  // returns the exit code
};

Command make_predict(CLI::App& app);
Command make_list(CLI::App& app);
Command make_measure(CLI::App& app);
Command make_import(CLI::App& app);
Command make_validate(CLI::App& app);

}  // namespace stepcast
