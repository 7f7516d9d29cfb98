// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/value_checks.hpp"
#include "roofline/allreduce_source.hpp"
#include "roofline/commands/around_options.hpp"
#include "roofline/commands/case_options.hpp"
#include "roofline/commands/command.hpp"
#include "roofline/data_dir.hpp"
#include "roofline/explain.hpp"
#include "roofline/prediction.hpp"
#include "roofline/scaling_table.hpp"

namespace stepcast {

namespace {

struct PredictOptions {
  std::string profile;
  CaseOptions predicted;
  BucketCaseOptions buckets;
  std::vector<std::int64_t> ranks;   // empty: 1, 2, 4, 8; without DDP 1
  std::int64_t global_batch = 0;     // 0: the batch of a GPU
  std::string allreduce;             // empty: the profile's
  std::int64_t allreduce_ranks = 0;  // 0: as the log states
  AroundOptions around;
  std::vector<std::string> real;  // empty: the files beside the profile
  std::string format = "table";
  bool no_ddp = false, allow_bounds = false, explain = false;
};

std::vector<std::int64_t> ranks_of(const PredictOptions& options) {
  std::vector<std::int64_t> ranks = options.ranks;
  if (ranks.empty()) {
    ranks = options.no_ddp ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2, 4, 8};
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (options.no_ddp && ranks.back() > 1) {
    throw UsageError(fmt::format("--no-ddp: {} ranks need DDP; leave --ranks at 1", ranks.back()));
  }
  return ranks;
}

/// Errors: UsageError if the images do not divide.
std::int64_t global_batch_of(const PredictOptions& options,
                             const std::vector<std::int64_t>& ranks) {
  const bool given = options.global_batch > 0;
  const std::int64_t global = given ? options.global_batch : options.predicted.batch;
  for (const std::int64_t n : ranks) {
    if (global % n == 0) continue;
    throw UsageError(fmt::format(
        "{}: {} images do not divide over {} ranks, as strong scaling does; {}",
        given ? "--global-batch" : "--batch", global, n,
        given ? "choose a multiple, or other --ranks" : "give --global-batch, or other --ranks"));
  }
  return global;
}

PredictionRequest request_of(const PredictOptions& options) {
  PredictionRequest request;
  request.predicted.model = model_of(options.predicted);
  request.predicted.recipe = recipe_of(options.predicted, request.predicted.model);
  request.predicted.recipe.ddp = !options.no_ddp;
  request.predicted.buckets = buckets_of(options.buckets);
  request.predicted.order = order_of(options.buckets);
  request.batch = options.predicted.batch;
  request.ranks = ranks_of(options);
  request.global_batch = global_batch_of(options, request.ranks);
  request.allow_bounds = options.allow_bounds;
  return request;
}

AllreduceSource allreduce_of(const PredictOptions& options, const ProfileData& profile) {
  const Surroundings around = around_of(options.around);
  if (options.allreduce.empty()) {
    return choose_allreduce(profile.allreduce(), profile.runs(), around);
  }
  std::optional<std::int64_t> ranks;
  if (options.allreduce_ranks > 0) ranks = options.allreduce_ranks;
  return read_allreduce_file(options.allreduce, ranks, around);
}

struct NamedTable {
  std::string field;
  Table table;
};

bool any_real_step(const Prediction& prediction, const RealSteps& real) {
  return any_real(prediction.weak, prediction.request.predicted, real) ||
         any_real(prediction.strong, prediction.request.predicted, real);
}

std::vector<NamedTable> scaling_tables(const Prediction& prediction, const ProfileData& profile,
                                       const RealSteps& real) {
  const PredictionRequest& request = prediction.request;
  const bool with_real = any_real_step(prediction, real);
  std::vector<NamedTable> tables{
      {"weak", scaling_table(prediction.weak, request.predicted, real, with_real)},
      {"strong", scaling_table(prediction.strong, request.predicted, real, with_real)}};
  tables[0].table.title =
      fmt::format("Predicted step, weak scaling: {}; {} images a GPU; times in ms",
                  case_text(request.predicted, profile), request.batch);
  tables[1].table.title =
      fmt::format("Predicted step, strong scaling: {} images over all GPUs", request.global_batch);
  return tables;
}

std::vector<NamedTable> explain_tables(const Prediction& prediction) {
  std::vector<NamedTable> tables{{"classes", class_table(prediction.base, prediction.first)},
                                 {"buckets", bucket_table(prediction.last)}};
  tables[0].table.title =
      fmt::format("What the step of one rank with {} images is made of", prediction.request.batch);
  tables[1].table.title = fmt::format("Buckets on {} ranks, weak scaling; ms from the step's begin",
                                      prediction.last_ranks);
  if (prediction.last.buckets.empty()) tables.pop_back();
  return tables;
}

std::string real_text(const std::vector<std::filesystem::path>& files) {
  std::string text =
      "the step run by PyTorch; graph: as one CUDA graph, so without the host; error: predicted "
      "over real, less 1; from";
  for (const auto& file : files) text += " " + file.filename().string();
  return text;
}

void print_text(const std::vector<NamedTable>& tables, const std::vector<Note>& notes) {
  for (const NamedTable& entry : tables) fmt::print("{}\n", text_table(entry.table));
  for (const Note& note : notes) {
    std::string title = note.field;
    std::replace(title.begin(), title.end(), '_', ' ');
    fmt::print("{:<14}{}\n", title + ":", note.text);
  }
}

void print_json(const std::vector<NamedTable>& tables, const std::vector<Note>& notes) {
  nlohmann::ordered_json output;
  for (const Note& note : notes) output["about"][note.field] = note.text;
  for (const NamedTable& entry : tables) output[entry.field] = json_rows(entry.table);
  fmt::print("{}\n", output.dump(2));
}

int run_predict(const PredictOptions& options) {
  const PredictionRequest request = request_of(options);
  const OutputFormat format = format_of(options.format);
  if (options.allreduce_ranks > 0 && options.allreduce.empty()) {
    throw UsageError("--allreduce-ranks: there is no log whose GPUs it states; give --allreduce");
  }
  const ProfileData profile(profile_dir(options.profile));
  const AllreduceSource allreduce = allreduce_of(options, profile);
  const std::vector<std::filesystem::path> real_files =
      options.real.empty()
          ? real_step_files(profile.folder())
          : std::vector<std::filesystem::path>(options.real.begin(), options.real.end());
  const RealSteps real(real_files, profile.machine().gpu);
  const Prediction prediction = predict(request, profile, allreduce.table);

  std::vector<NamedTable> tables = scaling_tables(prediction, profile, real);
  if (format == OutputFormat::csv) {
    fmt::print("{}", csv_tables({tables[0].table, tables[1].table}));
    return 0;
  }
  if (options.explain) {
    for (NamedTable& entry : explain_tables(prediction)) tables.push_back(std::move(entry));
  }
  std::vector<Note> notes = prediction_notes(prediction, profile, allreduce);
  if (any_real_step(prediction, real)) notes.push_back({"real", real_text(real_files)});
  format == OutputFormat::json ? print_json(tables, notes) : print_text(tables, notes);
  return 0;
}

constexpr const char* kExamples =
    "Examples:\n"
    "  stepcast predict h200-sxm --model resnet152\n"
    "  stepcast predict profiles/mybox --model vit_b_16 --precision fp16 --ranks 1,2,4,8 \\\n"
    "      --global-batch 512 --format csv\n"
    "  stepcast predict profiles/mybox --model resnet50 --allreduce nccl-tests.log --explain\n"
    "\n"
    "PROFILE is a folder that 'stepcast measure' made, or the name of a shipped one.";

}  // namespace

Command make_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* parser =
      app.add_subcommand("predict", "weak and strong scaling of a training step, from a profile");
  parser->add_option("PROFILE", options->profile, "a profile's folder")
      ->required()
      ->check(not_empty())
      ->type_name("");
  add_model_option(*parser, options->predicted);
  add_case_options(*parser, options->predicted);
  parser->add_option("--ranks", options->ranks, "GPUs, separated by commas [1,2,4,8]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(positive_whole())
      ->type_name("N,...");
  parser
      ->add_option("--global-batch", options->global_batch,
                   "images over all GPUs, for strong scaling [the batch of one GPU]")
      ->check(positive_whole())
      ->type_name("N");
  parser
      ->add_option("--allreduce", options->allreduce,
                   "allreduce times: an allreduce.csv or a log of nccl-tests [the profile's]")
      ->check(not_empty())
      ->type_name("FILE");
  parser
      ->add_option("--allreduce-ranks", options->allreduce_ranks,
                   "GPUs of that log, where it does not state them")
      ->check(positive_whole())
      ->type_name("N");
  add_around_options(*parser, options->around);
  add_bucket_options(*parser, options->buckets, "--bucket-cap-mib");
  parser
      ->add_option("--real", options->real,
                   "steps really run, to stand beside [measured/*.csv beside the profiles]")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->type_name("FILE");
  parser->add_flag("--no-ddp", options->no_ddp, "the plain model on one GPU");
  parser->add_flag("--allow-bounds", options->allow_bounds, "an op without a time takes its bound");
  parser->add_flag("--explain", options->explain, "also what the step is made of, and the buckets");
  add_format_option(*parser, options->format);
  parser->footer(kExamples);
  return {parser, [options] { return run_predict(*options); }};
}

}  // namespace stepcast
