// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/commands/case_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/value_checks.hpp"

namespace stepcast {

namespace {

template <typename Enum, std::size_t N>
Enum parse_option(const EnumNames<Enum, N>& names, const std::string& text, const char* option) {
  try {
    return parse_enum(names, text, option);
  } catch (const DataError& error) {
    throw UsageError(error.what());
  }
}

constexpr EnumNames<DType, 4> kPrecisionNames{
    {{DType::fp32, "fp32"}, {DType::tf32, "tf32"}, {DType::fp16, "fp16"}, {DType::bf16, "bf16"}}};
constexpr EnumNames<Layout, 2> kImageLayoutNames{{{Layout::nchw, "nchw"}, {Layout::nhwc, "nhwc"}}};
constexpr EnumNames<OutputFormat, 3> kFormatNames{
    {{OutputFormat::table, "table"}, {OutputFormat::csv, "csv"}, {OutputFormat::json, "json"}}};

}  // namespace

void add_model_option(CLI::App& parser, CaseOptions& options) {
  parser.add_option("--model", options.model, "model; 'stepcast list models' shows them")
      ->required()
      ->type_name("NAME");
}

void add_case_options(CLI::App& parser, CaseOptions& options) {
  parser.add_option("--precision", options.precision, "fp32, tf32, fp16 or bf16")
      ->capture_default_str()
      ->type_name("NAME");
  parser
      .add_option("--layout", options.layout,
                  "nchw or nhwc [nhwc; eager vision transformers: nchw]")
      ->check(not_empty())
      ->type_name("NAME");
  parser.add_option("--batch", options.batch, "images a GPU")
      ->capture_default_str()
      ->check(positive_whole())
      ->type_name("N");
  parser.add_option("--recipe", options.recipe, "eager or fused")
      ->capture_default_str()
      ->type_name("NAME");
  parser.add_option("--image-size", options.image_size, "height and width of an image")
      ->capture_default_str()
      ->check(positive_whole(kMostPixels))
      ->type_name("N");
}

void add_bucket_options(CLI::App& parser, BucketCaseOptions& options, const std::string& cap_name) {
  parser.add_option(cap_name, options.cap_mib, "size at which a bucket is full, in MiB")
      ->capture_default_str()
      ->check(positive_number())
      ->type_name("MIB");
  parser
      .add_option(
          "--order", options.order,
          "how gradients fill buckets: ready (as they become ready, as DDP does from its second "
          "step on) or registration (in reverse order of registration)")
      ->capture_default_str()
      ->type_name("NAME");
}

void add_format_option(CLI::App& parser, std::string& format) {
  parser.add_option("--format", format, "table, csv or json")
      ->capture_default_str()
      ->type_name("NAME");
}

Model model_of(const CaseOptions& options) {
  const auto names = model_names();
  if (std::find(names.begin(), names.end(), options.model) == names.end()) {
    throw UsageError(fmt::format("--model: '{}' is none of {}", options.model,
                                 fmt::join(names.begin(), names.end(), " ")));
  }
  return make_model(options.model, options.image_size);
}

RecipeOptions recipe_of(const CaseOptions& options, const Model& model) {
  RecipeOptions recipe;
  recipe.kind = parse_option(kRecipeNames, options.recipe, "--recipe");
  recipe.precision = parse_option(kPrecisionNames, options.precision, "--precision");
  recipe.batch = options.batch;
  if (options.layout.empty()) {
    const bool transformer =
        std::any_of(model.layers.begin(), model.layers.end(),
                    [](const Layer& layer) { return layer.kind == LayerKind::attention; });
    const bool eager_transformer = transformer && recipe.kind == RecipeKind::eager;
    recipe.layout = eager_transformer ? Layout::nchw : Layout::nhwc;
  } else {
    recipe.layout = parse_option(kImageLayoutNames, options.layout, "--layout");
  }
  return recipe;
}

BucketOptions buckets_of(const BucketCaseOptions& options) {
  BucketOptions buckets;
  buckets.cap = mib(options.cap_mib);
  return buckets;
}

BucketOrder order_of(const BucketCaseOptions& options) {
  return parse_option(kBucketOrderNames, options.order, "--order");
}

OutputFormat format_of(const std::string& format) {
  return parse_option(kFormatNames, format, "--format");
}

void print_table(const Table& table, OutputFormat format) {
  switch (format) {
    case OutputFormat::table:
      fmt::print("{}", text_table(table));
      break;
    case OutputFormat::csv:
      fmt::print("{}", csv_table(table));
      break;
    case OutputFormat::json:
      fmt::print("{}\n", json_rows(table).dump(2));
      break;
  }
}

}  // namespace stepcast
