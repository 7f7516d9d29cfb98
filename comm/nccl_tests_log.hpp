// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What nccl-tests' all_reduce_perf printed or wrote, as rows of allreduce.csv.

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
};

/// One run of all_reduce_perf.
struct NcclTestsTable {
  std::string tool;          // nccl-tests 2.19.6; "graph" is added where it timed CUDA graphs
  std::string nccl_version;  // 2.28.3; empty where the log does not state it
  std::string gpu;           // the first rank's; empty where the log does not state it
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t iterations = 0;     // 0 where the log does not state it
  std::vector<AllreduceRow> rows;  // two a line: out of place, in place; their run is empty
};

struct NcclTestsLog {
  std::vector<NcclTestsTable> tables;  // in the log's order
  std::vector<std::string> left_out;   // `file:line:column: why`, what is not among the rows
};

/// Reads a log of any version of nccl-tests: its text, whole or only lines of numbers, with what
/// launchers put before lines and with colours, of one run or several; or what its option -J wrote.
/// Other programs' lines and sizes of 0 bytes are skipped. Left out and told: lines and files that
/// are cut off; types, reductions and collectives that are not ours.
/// Units:   rows in seconds and bytes; the rates are computed from size and time.
/// Errors:  DataError `file:line:column`: rates that do not follow from size, time and ranks, sizes
///          that are not their elements' bytes, times of the host (-C), a GPU each (built without
///          MPI); ranks or nodes that neither log nor context states, or that both state and
///          differ; a log with nothing in it.
/// Source:  nccl-tests, src/common.cu and src/util.cu; the logs in data/measured, data/published.
NcclTestsLog read_nccl_tests_log(const std::filesystem::path& file,
                                 const NcclTestsContext& context = {});

}  // namespace stepcast
