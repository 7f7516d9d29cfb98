// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>

#include "core/error.hpp"
#include "core/value_checks.hpp"
#include "layers/model.hpp"

namespace stepcast {
namespace {

constexpr const char* kFooter = R"(Examples:
  stepcast-bench --benchmark_list_tests
  stepcast-bench --benchmark_filter='resnet152/layer3.*conv2.*fprop.*bf16.*nhwc'
  stepcast-bench --models vit_b_16 --batches 16,64 --benchmark_format=json
  stepcast-bench --profile profiles/mybox --progress
  echo gemm_fprop/cublaslt/bf16/row/m8192n8192k8192 | stepcast-bench --keys -

A time is the median of cold runs (no operand in L2); the counter hot_us is over and over the same.
Google Benchmark's own flags:)";

/// What the command line says, before it is checked against the tables.
struct Texts {
  std::vector<std::string> precisions, layouts, recipes;
  std::string profile;
  std::string keys;
  std::vector<std::string> avoided;
};

/// The values of a comma-separated option. Errors: UsageError that lists the choices.
template <typename Enum, std::size_t N>
std::vector<Enum> parse_list(const EnumNames<Enum, N>& names, std::string_view option,
                             const std::vector<std::string>& texts) {
  std::vector<Enum> values;
  for (const std::string& text : texts) {
    try {
      values.push_back(parse_enum(names, text, option));
    } catch (const DataError& error) {
      throw UsageError(error.what());
    }
  }
  return values;
}

constexpr EnumNames<DType, 5> kPrecisions{kDTypeNames[0], kDTypeNames[1], kDTypeNames[2],
                                          kDTypeNames[3], kDTypeNames[6]};
constexpr EnumNames<Layout, 2> kImageLayouts{kLayoutNames[0], kLayoutNames[1]};

/// KEY:RANK. Errors: UsageError.
void add_avoided(BenchOptions& options, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::int64_t rank = -1;
  if (colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + colon + 1, end, rank);
    if (error != std::errc() || last != end) rank = -1;
  }
  if (rank < 0) throw UsageError("--avoid: '" + text + "' is not KEY:RANK");
  try {
    options.avoided[key(parse(text.substr(0, colon)))].insert(rank);
  } catch (const DataError& error) {
    throw UsageError(std::string("--avoid: ") + error.what());
  }
}

void check_models(const std::vector<std::string>& models) {
  const auto known = model_names();
  for (const std::string& model : models) {
    if (std::find(known.begin(), known.end(), model) != known.end()) continue;
    std::string message = "--models: '" + model + "' is none of";
    for (const std::string_view name : known) message += " " + std::string(name);
    throw UsageError(message);
  }
}

void declare(CLI::App& app, BenchOptions& options, Texts& texts) {
  app.set_help_flag();
  app.allow_extras();
  app.footer(kFooter);
  app.add_flag("-h,--help", options.help, "Show this text, then Google Benchmark's");
  const std::string what = "What is registered";
  app.add_option("--models", options.models, "Models (default: resnet152,vit_b_16)")
      ->delimiter(',')
      ->group(what);
  app.add_option("--precisions", texts.precisions,
                 "fp32, tf32, fp16, bf16; e4m3: linear layers alone (default: fp16,bf16)")
      ->delimiter(',')
      ->group(what);
  app.add_option("--layouts", texts.layouts, "nchw, nhwc (default: nhwc)")
      ->delimiter(',')
      ->group(what);
  app.add_option("--batches", options.batches, "Images on a GPU (default: 128)")
      ->delimiter(',')
      ->check(positive_whole())
      ->group(what);
  app.add_option("--recipes", texts.recipes, "eager, fused (default: both)")
      ->delimiter(',')
      ->group(what);
  app.add_option("--image-size", options.image_size, "Pixels a side (default: 224)")
      ->check(positive_whole())
      ->group(what);
  app.add_flag("--blocks,!--no-blocks", options.blocks, "Residual and encoder blocks (default: on)")
      ->group(what);
  app.add_flag("--ddp,!--no-ddp", options.ddp, "DDP's copies (default: on)")->group(what);
  const std::string how = "How it is run";
  app.add_option("--profile", texts.profile,
                 "Write a row for each distinct op into this folder, and skip what is there")
      ->group(how);
  app.add_option(
         "--keys", texts.keys,
         "Time the ops whose keys stand in this file, one a line (- for the standard input), "
         "and print their rows as CSV")
      ->group(how);
  app.add_flag("--force", options.force, "Time again what the profile holds already")->group(how);
  app.add_flag("--progress", options.progress, "A progress bar on stderr")->group(how);
  app.add_flag("--quick", options.quick, "Fewer samples, wider noise")->group(how);
  app.add_option("--device", options.device, "GPU, as CUDA counts them (default: 0)")
      ->check(whole_number())
      ->group(how);
  app.add_option("--max-candidates", options.max_candidates,
                 "Plans of a library that are tried for an op (default: 20; with --quick 14)")
      ->check(positive_whole())
      ->group(how);
  app.add_option("--workspace-mib", options.workspace_mib,
                 "Most memory that a plan may need beside its operands (default: 1024)")
      ->check(whole_number())
      ->group(how);
  app.add_option("--samples", options.samples,
                 "Cold samples of each op (default: until the median is known)")
      ->check(positive_whole())
      ->group(how);
  app.add_flag("--flush", options.flush,
               "A cold sample is one execution behind a flush of the L2 cache, launched on the "
               "stream; default: executions on operands that are not in it, as one CUDA graph")
      ->group(how);
  app.add_option("--avoid", texts.avoided,
                 "KEY:RANK, a library's plan that is not run: one that ends the use of the GPU")
      ->group(how);
  app.add_flag("!--no-verify", options.verify, "Do not compare results with a reference")
      ->group(how);
  app.add_flag("!--no-hold", options.hold, "Do not hold the stream; for runs under a profiler")
      ->group(how);
}

}  // namespace

BenchOptions parse_options(int argc, const char* const* argv) {
  BenchOptions options;
  Texts texts;
  CLI::App app{"stepcast-bench"};
  declare(app, options, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  const auto given = [&](const std::string& option) { return app.count(option) > 0; };
  if (given("--precisions")) {
    options.precisions = parse_list(kPrecisions, "--precisions", texts.precisions);
  }
  if (given("--layouts")) {
    options.layouts = parse_list(kImageLayouts, "--layouts", texts.layouts);
  }
  if (given("--recipes")) {
    options.recipes = parse_list(kRecipeNames, "--recipes", texts.recipes);
  }
  for (const std::string& text : texts.avoided) add_avoided(options, text);
  if (given("--profile")) options.profile = texts.profile;
  if (given("--keys")) options.keys = texts.keys;
  if (options.keys && options.profile) {
    throw UsageError("--keys: prints rows; --profile writes them: give one of the two");
  }
  check_models(options.models);
  options.others = app.remaining();
  return options;
}

std::string help_text() {
  BenchOptions options;
  Texts texts;
  CLI::App app{"Times the ops of a training step, one Google Benchmark for each place in a model.",
               "stepcast-bench"};
  declare(app, options, texts);
  return app.help();
}

bool wants_list(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFlag = "--benchmark_list_tests";
  constexpr std::array<std::string_view, 6> kNo{"=0", "=false", "=no", "=off", "=n", "=f"};
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    if (!argument.starts_with(kFlag)) return false;
    const std::string value = argument.substr(kFlag.size());
    return value.empty() ||
           (value.starts_with("=") && std::find(kNo.begin(), kNo.end(), value) == kNo.end());
  });
}

}  // namespace stepcast
