// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "core/value_checks.hpp"
#include "roofline/commands/command.hpp"
#include "roofline/sibling.hpp"

namespace stepcast {

namespace {

struct MeasureOptions {
  std::string out;
  std::string models = "resnet152,vit_b_16";
  std::string precisions, layouts, batches, recipes,
      image_size;  // empty: stepcast-bench's own choice
  bool quick = false, force = false;
};

/// What --quick times where nothing else is asked for: the default case of `predict`, and the
/// batches that its strong scaling divides down to.
void narrow_for_quick(MeasureOptions& options) {
  const auto fill = [](std::string& value, const char* quick) {
    if (value.empty()) value = quick;
  };
  fill(options.precisions, "bf16");
  fill(options.layouts, "nhwc");
  fill(options.batches, "128,64,32,16");
  fill(options.recipes, "eager");
}

std::vector<std::string> bench_arguments(const MeasureOptions& options) {
  std::vector<std::string> arguments{"--profile", options.out, "--progress", "--models",
                                     options.models};
  const auto pass = [&arguments](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  pass("--precisions", options.precisions);
  pass("--layouts", options.layouts);
  pass("--batches", options.batches);
  pass("--recipes", options.recipes);
  pass("--image-size", options.image_size);
  if (options.quick) arguments.emplace_back("--quick");
  if (options.force) arguments.emplace_back("--force");
  return arguments;
}

std::vector<std::string> comm_arguments(const MeasureOptions& options) {
  std::vector<std::string> arguments{"--profile", options.out, "--progress", "--buckets",
                                     options.models};
  if (options.force) arguments.emplace_back("--force");
  return arguments;
}

int run_measure(MeasureOptions options) {
  if (options.quick) narrow_for_quick(options);
  // Both are looked for first: half a profile is not begun for want of the other program.
  const auto bench = find_sibling("stepcast-bench");
  const auto comm = find_sibling("stepcast-comm");
  std::error_code failed;
  std::filesystem::create_directories(options.out, failed);
  if (failed) throw UsageError("--out: " + options.out + ": " + failed.message());
  if (const int code = run_program(bench, bench_arguments(options)); code != 0) return code;
  if (const int code = run_program(comm, comm_arguments(options)); code != 0) return code;
  const std::string first_model = options.models.substr(0, options.models.find(','));
  fmt::print("\nThe profile is in {0}. Predict from it:\n  stepcast predict {0} --model {1}\n",
             options.out, first_model);
  return 0;
}

constexpr const char* kExamples =
    "Examples:\n"
    "  stepcast measure --out profiles/mybox --quick\n"
    "  stepcast measure --out profiles/mybox --models resnet152 --precisions fp16,bf16 \\\n"
    "      --batches 16,32,64,128\n"
    "\n"
    "Starts stepcast-bench and stepcast-comm on the GPUs that they see. What the profile holds\n"
    "already is skipped, so a call that was cut short can be repeated.";

}  // namespace

Command make_measure(CLI::App& app) {
  auto options = std::make_shared<MeasureOptions>();
  CLI::App* parser =
      app.add_subcommand("measure", "time ops and allreduce on this machine into a profile");
  const auto list = [parser](const char* option, std::string& value, const char* what) {
    return parser->add_option(option, value, what)->type_name("NAME,...");
  };
  parser->add_option("--out", options->out, "the profile's folder; made if it is not there")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  list("--models", options->models, "models whose ops are timed")->capture_default_str();
  list("--precisions", options->precisions, "fp32, tf32, fp16, bf16");
  list("--layouts", options->layouts, "nchw, nhwc");
  list("--batches", options->batches, "images a GPU")->type_name("N,...");
  list("--recipes", options->recipes, "eager, fused");
  list("--image-size", options->image_size, "height and width of an image")->type_name("N");
  parser->add_flag("--quick", options->quick,
                   "fewer samples; alone also bf16, nhwc, eager, and batches 128, 64, 32, 16");
  parser->add_flag("--force", options->force, "time again what the profile holds already");
  parser->footer(kExamples);
  return {parser, [options] {
            std::fflush(stdout);
            return run_measure(*options);
          }};
}

}  // namespace stepcast
