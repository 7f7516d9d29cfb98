// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/error.hpp"
#include "roofline/commands/case_options.hpp"
#include "roofline/commands/command.hpp"
#include "roofline/listing.hpp"

namespace stepcast {

namespace {

struct ListOptions {
  CaseOptions listed;
  BucketCaseOptions buckets;
  std::string format = "table";
};

Table buckets_table(const ListOptions& options) {
  const Model model = model_of(options.listed);
  RecipeOptions recipe;  // the order of gradients does not depend on precision, layout or batch
  recipe.layout = recipe_of(options.listed, model).layout;
  return list_buckets(model, recipe, order_of(options.buckets), buckets_of(options.buckets));
}

CLI::App* add_list(CLI::App& parent, const std::string& name, const std::string& what,
                   ListOptions& options, const std::string& example) {
  CLI::App* parser = parent.add_subcommand(name, what);
  add_format_option(*parser, options.format);
  parser->footer("Example:\n  stepcast list " + name + example);
  return parser;
}

}  // namespace

Command make_list(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* parser = app.add_subcommand("list", "what stepcast knows: models, ops, buckets, GPUs");
  parser->require_subcommand(1);
  parser->footer("Example:\n  stepcast list buckets --model resnet152 --format csv");

  CLI::App* models = add_list(*parser, "models", "models and their size", *options, "");
  CLI::App* layers =
      add_list(*parser, "layers", "a model's layers", *options, " --model vit_b_16 --batch 64");
  add_model_option(*layers, options->listed);
  add_case_options(*layers, options->listed);
  CLI::App* ops = add_list(*parser, "ops", "the distinct ops of a step", *options,
                           " --model resnet152 --precision fp16");
  add_model_option(*ops, options->listed);
  add_case_options(*ops, options->listed);
  CLI::App* buckets = add_list(*parser, "buckets", "DDP's gradient buckets, first reduced first",
                               *options, " --model resnet152 --cap 25");
  add_model_option(*buckets, options->listed);
  add_bucket_options(*buckets, options->buckets, "--cap");
  CLI::App* gpus = add_list(*parser, "gpus", "GPUs and their data sheets", *options, "");

  const auto run = [=] {
    const OutputFormat format = format_of(options->format);
    if (models->parsed()) print_table(list_models(), format);
    if (gpus->parsed()) print_table(list_gpus(), format);
    if (buckets->parsed()) print_table(buckets_table(*options), format);
    if (layers->parsed() || ops->parsed()) {
      const Model model = model_of(options->listed);
      const RecipeOptions recipe = recipe_of(options->listed, model);
      print_table(layers->parsed() ? list_layers(model, recipe) : list_ops(model, recipe), format);
    }
    return 0;
  };
  return {parser, run};
}

}  // namespace stepcast
