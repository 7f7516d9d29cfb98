// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/comm_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

constexpr const char* kFooter = R"(Examples:
  stepcast-comm --benchmark_list_tests
  stepcast-comm --buckets resnet152,vit_b_16
  stepcast-comm --bytes 28351488 --dtypes fp32,bf16 --placement in
  stepcast-comm --profile profiles/mybox --buckets vit_b_16 --progress

A time is the mean over iterations of the slowest GPU. algbw is payload over time, busbw is algbw
times 2(N-1)/N. One process issues for all GPUs: below about 1 MiB its cost is the time.
Google Benchmark's own flags:)";

constexpr EnumNames<DType, 3> kGradientTypes{
    {{DType::fp32, "fp32"}, {DType::fp16, "fp16"}, {DType::bf16, "bf16"}}};
constexpr EnumNames<bool, 2> kPlacements{{{true, "in"}, {false, "out"}}};

// A stream's queue holds about 1024 entries; a full one would block the host beyond any time-out.
constexpr int kMostIterations = 400;

/// What the command line says, before it is checked against the tables.
struct Texts {
  std::vector<std::string> dtypes, placements;
  std::string profile;
  double cap_mib = 25;
  double timeout_s = 60;
};

template <typename Enum, std::size_t N>
std::vector<Enum> parse_list(const EnumNames<Enum, N>& names, std::string_view option,
                             const std::vector<std::string>& texts) {
  std::vector<Enum> values;
  for (const std::string& text : texts) {
    const auto value = enum_value(names, text);
    if (!value) {
      std::string message = fmt::format("{}: '{}' is none of", option, text);
      for (const auto& [unused, choice] : names) message += fmt::format(" {}", choice);
      throw UsageError(message);
    }
    if (std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
  }
  return values;
}

/// CLI11's own check would name the range of a double.
CLI::Validator above_zero() {
  return {[](const std::string& text) {
            const std::optional<double> value = parse_number(text);
            return value && *value > 0.0 ? std::string() : "'" + text + "' is not above 0";
          },
          ""};
}

CLI::Validator one_to(int most) {
  return {[most](const std::string& text) {
            const std::optional<std::int64_t> value = parse_integer(text);
            return value && *value >= 1 && *value <= most
                       ? std::string()
                       : fmt::format("'{}' is not 1 to {}", text, most);
          },
          ""};
}

void declare(CLI::App& app, CommOptions& options, Texts& texts) {
  app.set_help_flag();
  app.allow_extras();
  app.footer(kFooter);
  app.add_flag("-h,--help", options.help, "Show this text, then Google Benchmark's");
  const std::string what = "What is timed";
  app.add_option("--buckets", options.models, "Models whose DDP bucket sizes are timed too")
      ->delimiter(',')
      ->group(what);
  app.add_option("--cap-mib", texts.cap_mib, "DDP's bucket cap (default: 25)")
      ->check(above_zero())
      ->group(what);
  app.add_option("--bytes", options.sizes,
                 "Payloads in bytes (default: powers of two, 1024 to 1073741824)")
      ->delimiter(',')
      ->check(above_zero())
      ->group(what);
  app.add_option("--dtypes", texts.dtypes, "fp32, fp16, bf16 (default: fp32)")
      ->delimiter(',')
      ->group(what);
  app.add_option("--placement", texts.placements, "in, out (default: both)")
      ->delimiter(',')
      ->group(what);
  const std::string how = "How it is run";
  app.add_option("--iterations", options.protocol.iterations,
                 fmt::format("Timed calls of each size, 1 to {} (default: 50)", kMostIterations))
      ->check(one_to(kMostIterations))
      ->group(how);
  app.add_option("--warmup", options.protocol.warmup,
                 fmt::format("Calls of each size before, 1 to {} (default: 5)", kMostIterations))
      ->check(one_to(kMostIterations))
      ->group(how);
  app.add_option("--timeout", texts.timeout_s, "Seconds that a series may take (default: 60)")
      ->check(above_zero())
      ->group(how);
  app.add_option("--profile", texts.profile,
                 "Write a row for each case into this folder, and skip what is there")
      ->group(how);
  app.add_flag("--force", options.force, "Time again what the profile holds already")->group(how);
  app.add_flag("--progress", options.progress, "A progress bar on stderr")->group(how);
}

}  // namespace

CommOptions parse_comm_options(int argc, const char* const* argv) {
  CommOptions options;
  Texts texts;
  CLI::App app{"stepcast-comm"};
  declare(app, options, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (!texts.dtypes.empty()) options.dtypes = parse_list(kGradientTypes, "--dtypes", texts.dtypes);
  if (!texts.placements.empty()) {
    options.placements = parse_list(kPlacements, "--placement", texts.placements);
  }
  options.cap = mib(texts.cap_mib);
  options.timeout = Seconds(texts.timeout_s);
  if (options.sizes.empty()) options.sizes = powers_of_two();
  if (app.count("--profile") > 0) options.profile = texts.profile;
  options.others = app.remaining();
  return options;
}

std::string comm_help() {
  CommOptions options;
  Texts texts;
  CLI::App app{"Times NCCL's allreduce over the GPUs that it sees, one Google Benchmark a size.",
               "stepcast-comm"};
  declare(app, options, texts);
  return app.help();
}

bool lists_only(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFlag = "--benchmark_list_tests";
  constexpr std::array<std::string_view, 6> kNo{"=0", "=false", "=no", "=off", "=n", "=f"};
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    if (!argument.starts_with(kFlag)) return false;
    const std::string_view value = std::string_view(argument).substr(kFlag.size());
    return value.empty() ||
           (value.starts_with('=') && std::find(kNo.begin(), kNo.end(), value) == kNo.end());
  });
}

std::vector<std::int64_t> powers_of_two() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1024; size <= 1073741824; size *= 2) sizes.push_back(size);
  return sizes;
}

std::vector<AllreduceCase> allreduce_cases(const CommOptions& options,
                                           const std::vector<std::int64_t>& bucket_bytes) {
  std::vector<AllreduceCase> cases;
  for (const DType dtype : options.dtypes) {
    std::set<std::int64_t> sizes;
    for (const std::int64_t size : options.sizes) {
      if (size % element_bytes(dtype) != 0) {
        throw UsageError(
            fmt::format("--bytes: {} is no whole number of {} elements", size, name(dtype)));
      }
      sizes.insert(size);
    }
    for (const std::int64_t size : bucket_bytes) {
      sizes.insert(size / element_bytes(DType::fp32) * element_bytes(dtype));
    }
    for (const bool in_place : options.placements) {
      for (const std::int64_t size : sizes) cases.push_back({dtype, size, in_place});
    }
  }
  return cases;
}

}  // namespace stepcast
