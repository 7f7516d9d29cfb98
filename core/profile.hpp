// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The columns of a profile's files: one schema for writer and reader. What the columns mean stands
// in data/README.md, and a test compares the two.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/csv.hpp"

namespace stepcast {

/// ok: timed. unsupported: the machine or library cannot, `reason` says why. failed: it should have
/// worked and did not, `reason` is the library's text or what is wrong with the result. throttled:
/// the GPU's clock stayed too low to time it.
enum class RowStatus { ok, unsupported, failed, throttled };

/// A row of ops.csv, identified by key, cache, plan_rank and run.
struct OpRow {
  std::string key;
  std::string cache;  // cold (no operand in the L2 cache) or hot (the same ones over and over)
  std::int64_t plan_rank = 0;  // place of the timed plan in the library's heuristic list
  std::string run;             // id of a run in run.json
  RowStatus status = RowStatus::ok;
  std::string reason;  // empty where status is ok
  double median_s = 0, p25_s = 0, p75_s = 0, min_s = 0, p95_s = 0;
  std::int64_t samples = 0;
  double noise = 0;              // half the interquartile range over the median
  double median_error = 0;       // standard error of the median over the median
  double drift = 0;              // last third of the samples over the first, less 1
  double place_difference = 0;   // of the medians in two places in memory, over the lesser
  std::string stop;              // which rule ended the sampling
  std::string launch;            // stream (one by one) or graph (a CUDA graph of executions)
  std::int64_t executions = 1;   // of which a sample is the mean
  bool unstable = false;         // median_error, drift or place_difference is beyond its limit
  double flop = 0;               // of one execution
  double least_bytes = 0;        // of one execution
  double written_bytes = 0;      // those of least_bytes that are written
  double sm_clock_mhz = 0;       // while sampling; 0 where it could not be read
  std::int64_t plans_timed = 0;  // candidates that the search timed
  std::int64_t workspace_bytes = 0;
  std::string plan;                   // kernel, engine or algorithm as the library names it
  std::string math;                   // what is multiplied and in what it is summed
  std::string notes;                  // what the library says of the plan
  std::int64_t kernels = 0;           // that one execution launches; 0 where that is not known
  double conversion_share = 0;        // of the time, in hidden layout conversions
  std::int64_t checked_elements = 0;  // compared with a reference; 0: none
  double worst_error = 0;             // largest error over its tolerance
};

/// A row of blocks.csv, identified by block, run: a block's ops back to back, and what its ops take
/// alone. Its last parts explain the difference.
struct BlockRow {
  std::string block;  // <model>/<block>/<direction>/<recipe>/<precision>/<layout>/n<batch>
  std::string run;
  RowStatus status = RowStatus::ok;
  std::string reason;
  std::int64_t ops = 0;
  double median_s = 0;      // of the block; each op reads what the op before wrote, if it fits
  double median_error = 0;  // as in ops.csv
  double apart_s = 0;       // the block with operands of its own for each op: nothing stays in L2
  double sum_s = 0;         // its ops alone, cold or hot by the rule of docs/model.md
  double sum_cold_s = 0;    // its ops alone, all cold
  double sum_hot_s = 0;     // its ops alone, all hot
  double difference = 0;    // median_s over sum_s, less 1
  double sm_clock_mhz = 0;
};

/// A row of allreduce.csv, identified by tool, collective, dtype, payload, placement, ranks, nodes,
/// run. A tool that prints one time only fills median_s and mean_rank_s with it; min_rank_s and
/// max_rank_s are 0 then.
struct AllreduceRow {
  std::string tool;        // stepcast-comm, or nccl-tests with its version
  std::string collective;  // allreduce
  std::string dtype;
  std::int64_t payload_bytes = 0;  // what a rank holds
  bool in_place = true;
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;
  std::string run;
  RowStatus status = RowStatus::ok;
  std::string reason;                                      // "no communication" for one rank
  double median_s = 0;                                     // over iterations, of the slowest rank
  double min_rank_s = 0, mean_rank_s = 0, max_rank_s = 0;  // mean over iterations; over ranks
  std::int64_t iterations = 0;                             // 0 where the tool does not say
  double algbw_bytes_per_s = 0, busbw_bytes_per_s = 0;
  std::int64_t wrong_elements = 0;  // -1 where the tool did not look
  std::string source;               // file that the row was imported from; empty for our own
};

/// A row of ceilings.csv: a peak measured in the same run.
struct CeilingRow {
  std::string name;  // copy_bandwidth, bandwidth_r<reads>w<writes>, matrix_rate, event_floor
  std::string dtype;
  std::string unit;  // bytes_per_s, flop_per_s, s
  double value = 0;
  double noise = 0;
  std::string run;
  std::string method;  // what was timed, in words
};

const CsvSchema& ops_schema();
const CsvSchema& blocks_schema();
const CsvSchema& allreduce_schema();
const CsvSchema& ceilings_schema();

/// Rows of the files; an absent file is an empty list. An older schema's rows lack what it did not
/// have: 0 or "". Errors: DataError from read_csv, or a value
/// that is out of its range (file:line:column).
std::vector<OpRow> read_ops(const std::filesystem::path& file);
std::vector<BlockRow> read_blocks(const std::filesystem::path& file);
std::vector<AllreduceRow> read_allreduce(const std::filesystem::path& file);
std::vector<CeilingRow> read_ceilings(const std::filesystem::path& file);

/// Cells of a row in the schema's order, for CsvWriter. Timing columns are empty where status is
/// not ok.
std::vector<std::string> cells(const OpRow& row);
std::vector<std::string> cells(const BlockRow& row);
std::vector<std::string> cells(const AllreduceRow& row);
std::vector<std::string> cells(const CeilingRow& row);

}  // namespace stepcast
