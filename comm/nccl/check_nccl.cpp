// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/check_nccl.hpp"

#include <fmt/format.h>

namespace stepcast {

void check(ncclResult_t status, std::string_view doing, SourceLocation where, ncclComm_t comm) {
  if (status == ncclSuccess) return;
  std::string said =
      fmt::format("NCCL, status {}, {}", static_cast<int>(status), ncclGetErrorString(status));
  if (const char* last = ncclGetLastError(comm); last != nullptr && *last != '\0') {
    said += fmt::format(", {}", last);
  }
  throw LibraryError(where, std::string(doing), said);
}

std::string nccl_version() {
  int version = 0;
  check(ncclGetVersion(&version), "reading NCCL's version");
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace stepcast
