// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The text that nccl-tests' all_reduce_perf prints, as rows of allreduce.csv.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/profile.hpp"

namespace stepcast {

/// What the caller knows about a log that does not state it.
struct NcclTestsContext {
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> nodes;
  std::string run;  // id of the run that the rows will belong to
};

struct NcclTestsLog {
  std::string tool;          // nccl-tests 2.19.6; "graph" is added where it timed CUDA graphs
  std::string nccl_version;  // 2.28.3; empty where the log does not state it
  std::string gpu;           // the first rank's; empty where the log does not state it
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t iterations = 0;     // 0 where the log does not state it
  std::vector<AllreduceRow> rows;  // two a line: out of place, in place
};

/// Reads a log, whole or only its lines of numbers; old and new versions, with or without the
/// columns redop, root and #wrong. Lines that begin with neither a digit nor '#' are other
/// programs' chatter and skipped, as are sizes of 0 bytes.
/// Units:   rows in seconds and bytes; the rates are computed from size and time.
/// Errors:  DataError `file:line:column`: a line that is cut or garbled, a type or reduction that
///          is not ours, another collective, rates that do not follow from size, time and ranks;
///          ranks or nodes that neither log nor context states; a log without numbers.
/// Source:  nccl-tests, src/common.cu; the cases in data/measured and data/published.
NcclTestsLog read_nccl_tests_log(const std::filesystem::path& file,
                                 const NcclTestsContext& context = {});

}  // namespace stepcast
