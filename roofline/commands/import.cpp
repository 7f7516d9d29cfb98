// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/allreduce_import.hpp"
#include "core/value_checks.hpp"
#include "roofline/commands/command.hpp"
#include "roofline/op_import.hpp"

namespace stepcast {

namespace {

struct ImportOptions {
  std::string profile;
  // nccl-tests
  std::vector<std::string> logs;
  std::int64_t ranks = 0, nodes = 0;  // 0: as the log states
  // google-benchmark
  std::string times, mapping, gpu;
  std::string time = "real_time";
};

std::string typed_command(const ImportOptions& options, const std::string& log) {
  std::string command = fmt::format("stepcast import nccl-tests {} --out {}", log, options.profile);
  if (options.ranks > 0) command += fmt::format(" --ranks {}", options.ranks);
  if (options.nodes > 0) command += fmt::format(" --nodes {}", options.nodes);
  return command;
}

int import_logs(const ImportOptions& options) {
  for (const std::string& log : options.logs) {
    AllreduceImport import;
    import.log = log;
    import.profile = options.profile;
    if (options.ranks > 0) import.ranks = options.ranks;
    if (options.nodes > 0) import.nodes = options.nodes;
    import.command = typed_command(options, log);
    const AllreduceImportResult result = import_allreduce(import);
    for (const ImportedRun& run : result.runs) {
      fmt::print("{}: {}, {} rank{} on {} node{}: {} rows added, {} known already\n", log, run.tool,
                 run.ranks, run.ranks == 1 ? "" : "s", run.nodes, run.nodes == 1 ? "" : "s",
                 run.added, run.known);
    }
    for (const std::string& what : result.left_out) fmt::print(stderr, "left out: {}\n", what);
  }
  return 0;
}

CLI::App* add_google_benchmark(CLI::App& parser, ImportOptions& options) {
  CLI::App* benchmarks = parser.add_subcommand(
      "google-benchmark", "times of another program's benchmarks, into ops.csv");
  benchmarks->add_option("FILE", options.times, "its --benchmark_out, JSON or CSV")
      ->required()
      ->check(not_empty())
      ->type_name("");
  benchmarks->add_option("--map", options.mapping, "CSV with the columns benchmark, key, cache")
      ->required()
      ->check(not_empty())
      ->type_name("FILE");
  benchmarks->add_option("--out", options.profile, "the profile's folder")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  benchmarks->add_option("--time", options.time, "real_time, cpu_time, or a counter in seconds")
      ->check(not_empty())
      ->capture_default_str()
      ->type_name("NAME");
  benchmarks->add_option("--gpu", options.gpu, "what was timed; 'stepcast list gpus' shows names")
      ->check(not_empty())
      ->type_name("NAME");
  benchmarks->footer(
      "Example:\n"
      "  stepcast import google-benchmark conv.json --map conv_keys.csv --out profiles/mybox\n"
      "\n"
      "A line of the mapping names a benchmark, the op that it times ('stepcast list ops' shows\n"
      "keys) and whether its operands were cold or hot in the L2 cache:\n"
      "  benchmark,key,cache\n"
      "  BM_Relu/1048576,relu_fwd/native/bf16/flat/e1048576,cold\n"
      "Repetitions become samples. Times of stepcast itself are preferred to imported ones. --gpu\n"
      "is needed by a profile in which stepcast has timed nothing.");
  return benchmarks;
}

int import_benchmarks(const ImportOptions& options) {
  OpImport import{options.times, options.mapping, options.profile, options.time, {}, {}};
  import.command = fmt::format("stepcast import google-benchmark {} --map {} --out {} --time {}",
                               options.times, options.mapping, options.profile, options.time);
  if (!options.gpu.empty()) {
    import.gpu = options.gpu;
    import.command += fmt::format(" --gpu '{}'", options.gpu);
  }
  const OpImportResult result = import_ops(import);
  fmt::print("{}: {} rows added, {} known already\n", options.times, result.added, result.known);
  for (const std::string& name : result.unmapped) {
    fmt::print(stderr, "left out: {}: the mapping does not name it\n", name);
  }
  return 0;
}

}  // namespace

Command make_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* parser = app.add_subcommand("import", "other tools' measurements into a profile");
  parser->require_subcommand(1);
  parser->footer("Example:\n  stepcast import nccl-tests all_reduce.log --out profiles/mybox");
  CLI::App* nccl_tests = parser->add_subcommand(
      "nccl-tests", "what all_reduce_perf printed, or wrote by -J, into allreduce.csv");
  nccl_tests->add_option("LOG", options->logs, "its text or JSON, of one run or several")
      ->required()
      ->check(not_empty())
      ->type_name("");
  nccl_tests->add_option("--out", options->profile, "the profile's folder")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  nccl_tests->add_option("--ranks", options->ranks, "GPUs, where the log does not state them")
      ->check(positive_whole())
      ->type_name("N");
  nccl_tests->add_option("--nodes", options->nodes, "machines, where the log does not state them")
      ->check(positive_whole())
      ->type_name("N");
  nccl_tests->footer(
      "Example:\n"
      "  stepcast import nccl-tests all_reduce.log --out profiles/mybox\n"
      "\n"
      "Rows that the profile has already are not added again. What launchers put before lines, "
      "colours\n"
      "and other programs' lines are skipped; lines that are cut off, and types, reductions and\n"
      "collectives other than an allreduce's sum in float, half or bfloat16 are left out and "
      "told.");
  const CLI::App* benchmarks = add_google_benchmark(*parser, *options);
  return {parser, [options, benchmarks] {
            return benchmarks->parsed() ? import_benchmarks(*options) : import_logs(*options);
          }};
}

}  // namespace stepcast
