// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/data_dir.hpp"

#include <cstdlib>
#include <string>

#include "core/error.hpp"

namespace stepcast {

namespace fs = std::filesystem;

fs::path own_executable() { return fs::read_symlink("/proc/self/exe"); }

fs::path data_dir() {
  if (const char* set = std::getenv("STEPCAST_DATA"); set != nullptr && *set != '\0') {
    if (fs::is_directory(set)) return set;
    throw DataError("STEPCAST_DATA: '" + std::string(set) + "' is no folder");
  }
  fs::path installed = own_executable().parent_path().parent_path() / "share" / "stepcast" / "data";
  if (fs::is_directory(installed)) return installed;
  fs::path source = STEPCAST_SOURCE_DATA_DIR;
  if (fs::is_directory(source)) return source;
  throw DataError("STEPCAST_DATA: not set, and there is no " + installed.string() + " and no " +
                  source.string());
}

fs::path profile_dir(const fs::path& given) {
  if (given.has_parent_path() || fs::exists(given)) return given;
  const fs::path shipped = data_dir() / "profiles" / given;
  return fs::is_directory(shipped) ? shipped : given;
}

}  // namespace stepcast
