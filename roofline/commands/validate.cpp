// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "core/value_checks.hpp"
#include "roofline/allreduce_validation.hpp"
#include "roofline/commands/case_options.hpp"
#include "roofline/commands/command.hpp"
#include "roofline/data_dir.hpp"
#include "roofline/table.hpp"

namespace stepcast {

namespace {

struct ValidateOptions {
  std::string pairs;  // empty: the shipped ones
  std::string format = "table";
};

int validate_allreduce(const ValidateOptions& options) {
  const OutputFormat format = format_of(options.format);
  const std::filesystem::path file = options.pairs.empty()
                                         ? data_dir() / "published" / "allreduce_pairs.csv"
                                         : std::filesystem::path(options.pairs);
  const std::vector<AllreducePair> pairs = read_allreduce_pairs(file);
  Table table = validation_table(judge(pairs));
  if (format == OutputFormat::table) {
    table.title = "Fitted allreduce times beside measured ones, 1 MiB to 1 GiB, fp32, in place";
  }
  print_table(table, format);
  if (format == OutputFormat::table) {
    fmt::print(
        "\n"
        "error:   fitted over measured, less 1; constants are fitted to the other sets\n"
        "used:    by predict {:.1f} us a step and gain {:.2f}, fitted to all sets; {:g} us a hop "
        "of a network\n"
        "nodes:   where the network's bandwidth is given, it is the target's own: what is judged "
        "is the shape over sizes\n"
        "logs:    {}\n",
        kRankLaw.step / microseconds(1), kRankLaw.pair_gain, kNetworkStep / microseconds(1),
        file.string());
  }
  return 0;
}

}  // namespace

Command make_validate(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* parser =
      app.add_subcommand("validate", "what is computed here, beside what others measured");
  parser->require_subcommand(1);
  parser->footer("Example:\n  stepcast validate allreduce");
  CLI::App* allreduce = parser->add_subcommand(
      "allreduce", "times at other sizes, ranks and nodes than those that they are fitted from");
  allreduce
      ->add_option("--pairs", options->pairs,
                   "CSV with the columns law, set, from, to, fabric, network, "
                   "network_busbw_gbps; logs in nccl_logs beside it [those of data/published]")
      ->check(not_empty())
      ->type_name("FILE");
  add_format_option(*allreduce, options->format);
  allreduce->footer(
      "Example:\n"
      "  stepcast validate allreduce --format csv");
  return {parser, [options] { return validate_allreduce(*options); }};
}

}  // namespace stepcast
