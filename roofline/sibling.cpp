// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/sibling.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/error.hpp"
#include "core/text.hpp"
#include "roofline/data_dir.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& file) {
  return fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_sibling(const std::string& name) {
  fs::path beside = own_executable().parent_path() / name;
  if (is_program(beside)) return beside;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    fs::path file = fs::path(folder) / name;
    if (!folder.empty() && is_program(file)) return file;
  }
  throw DataError(name + ": neither beside " + own_executable().string() +
                  " nor on PATH. This build has no GPU half; on a machine with a CUDA toolkit "
                  "configure with -DSTEPCAST_CUDA=ON, or run scripts/quickstart.sh --cuda");
}

int run_program(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ);
  if (failed != 0) {
    throw DataError(program.string() +
                    ": cannot be started: " + std::generic_category().message(failed));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw DataError(program.string() +
                      ": cannot be waited for: " + std::generic_category().message(errno));
    }
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace stepcast
