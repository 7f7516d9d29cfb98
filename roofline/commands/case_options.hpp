// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options that say which case is meant: model, precision, layout, batch, recipe; and how the
// answer is printed.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/buckets.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"
#include "roofline/bucket_plan.hpp"
#include "roofline/table.hpp"

namespace stepcast {

struct CaseOptions {
  std::string model;
  std::string precision = "bf16";
  std::string layout;  // empty: the model's usual one
  std::string recipe = "eager";
  std::int64_t batch = 128;
  std::int64_t image_size = 224;
};

void add_model_option(CLI::App& parser, CaseOptions& options);

/// --precision, --layout, --batch, --recipe, --image-size.
void add_case_options(CLI::App& parser, CaseOptions& options);

struct BucketCaseOptions {
  double cap_mib = 25;
  std::string order = "ready";
};

/// --order and the cap, which is named differently by different commands.
void add_bucket_options(CLI::App& parser, BucketCaseOptions& options, const std::string& cap_name);

void add_format_option(CLI::App& parser, std::string& format);

/// Errors: UsageError for an unknown name, the option first; DataError of make_model().
Model model_of(const CaseOptions& options);

/// Without --layout: nchw for an eager vision transformer, as PyTorch users run it, else nhwc.
/// Errors: UsageError.
RecipeOptions recipe_of(const CaseOptions& options, const Model& model);

BucketOptions buckets_of(const BucketCaseOptions& options);
BucketOrder order_of(const BucketCaseOptions& options);
OutputFormat format_of(const std::string& format);

/// Prints one table as the format asks.
void print_table(const Table& table, OutputFormat format);

}  // namespace stepcast
