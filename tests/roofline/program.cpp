// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/roofline/program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace stepcast::testing {

namespace fs = std::filesystem;

namespace {

std::string content(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Whole numbers stay, others are cut to six digits: the last ones are the machine's own.
std::string rounded_cell(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (cell.find('.') == std::string::npos || *end != '\0') return cell;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace

std::string rounded_csv(const std::string& csv) {
  std::string result, cell;
  for (const char c : csv) {
    if (c != ',' && c != '\n') {
      cell += c;
      continue;
    }
    result += rounded_cell(cell) + c;
    cell.clear();
  }
  return result + cell;
}

ProgramResult run_stepcast(const std::string& arguments, const fs::path& folder) {
  const fs::path out = folder / "stdout.txt";
  const fs::path error = folder / "stderr.txt";
  const std::string command = "cd '" + folder.string() + "' && '" STEPCAST_PROGRAM "' " +
                              arguments + " >'" + out.string() + "' 2>'" + error.string() + "'";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), content(out), content(error)};
}

std::string golden(const std::string& name) {
  return content(fs::path(STEPCAST_GOLDEN_DIR) / name);
}

void expect_golden(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(STEPCAST_GOLDEN_DIR) / name;
  if (std::getenv("STEPCAST_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << text;
    return;
  }
  EXPECT_TRUE(fs::exists(file)) << file << " is missing";
  EXPECT_EQ(text, content(file)) << "differs from " << file;
}

}  // namespace stepcast::testing
