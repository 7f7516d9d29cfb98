// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The errors that a caller cannot mend. `main` has the one catch and returns exit_code().

#include <stdexcept>
#include <string>

namespace stepcast {

/// Where in our source something was asked for; std::source_location as clang-tidy 14 can read it.
struct SourceLocation {
  const char* file = "";
  int line = 0;

  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return {file, line};
  }
};

class Error : public std::runtime_error {
 public:
  [[nodiscard]] int exit_code() const { return exit_code_; }

 protected:
  Error(const std::string& text, int exit_code) : std::runtime_error(text), exit_code_(exit_code) {}

 private:
  int exit_code_;
};

/// The command line is wrong. The text begins with the option. Exit code 2.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& text) : Error(text, 2) {}
};

/// A file or a value does not say what it should. The text begins with `file:row:column`, or with
/// the value's name. Exit code 3.
class DataError : public Error {
 public:
  explicit DataError(const std::string& text) : Error(text, 3) {}
};

/// CUDA, cuDNN, cuBLASLt or NCCL said no. The text is
/// `file:line: what was being done: library, status name, library's own text`. Exit code 4.
class LibraryError : public Error {
 public:
  LibraryError(SourceLocation where, const std::string& doing, const std::string& said)
      : Error(
            std::string(where.file) + ":" + std::to_string(where.line) + ": " + doing + ": " + said,
            4) {}
};

/// A kernel has ended this process's use of the GPU; only a new process can go on. Exit code 4.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(const std::string& text) : Error("the GPU was lost: " + text, 4) {}
};

}  // namespace stepcast
