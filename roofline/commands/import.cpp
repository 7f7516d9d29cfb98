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

namespace stepcast {

namespace {

struct ImportOptions {
  std::vector<std::string> logs;
  std::string profile;
  std::int64_t ranks = 0, nodes = 0;  // 0: as the log states
};

std::string typed_command(const ImportOptions& options, const std::string& log) {
  std::string command = fmt::format("stepcast import nccl-tests {} --out {}", log, options.profile);
  if (options.ranks > 0) command += fmt::format(" --ranks {}", options.ranks);
  if (options.nodes > 0) command += fmt::format(" --nodes {}", options.nodes);
  return command;
}

int run_import(const ImportOptions& options) {
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
  return {parser, [options] { return run_import(*options); }};
}

}  // namespace stepcast
