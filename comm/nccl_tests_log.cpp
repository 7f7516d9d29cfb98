// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl_tests_log.hpp"

#include <fstream>
#include <iterator>

#include "comm/nccl_tests_table.hpp"
#include "core/error.hpp"

namespace stepcast {

NcclTestsLog read_nccl_tests_log(const std::filesystem::path& file,
                                 const NcclTestsContext& context) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw DataError(file.string() + ": cannot be opened");
  }
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && content[first] == '{';
  PrintedLog printed =
      json ? read_nccl_tests_json(file, content) : read_nccl_tests_text(file, content);
  NcclTestsLog log;
  log.left_out = std::move(printed.left_out);
  for (const PrintedRun& run : printed.runs) {
    if (!run.lines.empty()) log.tables.push_back(make_table(run, file, context));
  }
  if (log.tables.empty()) {
    throw DataError(file.string() + ": holds no whole line of an allreduce" +
                    (log.left_out.empty() ? "" : "; " + log.left_out.front()));
  }
  return log;
}

}  // namespace stepcast
