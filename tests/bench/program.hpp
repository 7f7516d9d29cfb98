// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the built stepcast-bench, as its user does.

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace stepcast::testing {

struct ProgramResult {
  int exit_code = 0;
  std::string text;  // stdout and stderr, as they came
};

/// `environment` is put before the command: NAME=value ...
inline ProgramResult run_bench(const std::string& arguments, const std::string& environment = "") {
  const std::string command = environment + " '" STEPCAST_BENCH_PROGRAM "' " + arguments + " 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  ProgramResult result;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    result.text.append(part.data(), n);
  }
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    result.push_back(text.substr(begin, end - begin));
  }
  return result;
}

}  // namespace stepcast::testing
