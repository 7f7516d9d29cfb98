// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/listing.hpp"

#include <fmt/format.h>

#include <map>

#include "core/csv.hpp"
#include "layers/cost.hpp"
#include "roofline/data_dir.hpp"
#include "roofline/gpu_sheet.hpp"

namespace stepcast {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

/// Work of a step at one place: a layer or a distinct op.
struct Work {
  std::int64_t runs = 0, kernels = 0;
  double flop = 0, bytes = 0;

  void add(const PlacedOp& placed) {
    const Cost one = cost(placed.op);
    const auto count = static_cast<double>(placed.count);
    runs += placed.count;
    kernels += placed.count * stepcast::kernels(placed.op);
    flop += count * one.flop.count();
    bytes += count * one.least_bytes.count();
  }
};

Cell scaled(const CsvRow& row, std::string_view column, double unit) {
  if (row.text(column).empty()) return {};
  return number_cell(row.number(column) / unit);
}

}  // namespace

Table list_models() {
  Table table{"",
              {{"model", "model"},
               {"parameters", "parameters"},
               {"tensors", "tensors"},
               {"image", "image_size"},
               {"forward GMAC/image", "forward_gmac_per_image", 2}},
              {}};
  for (const std::string_view model_name : model_names()) {
    const Model model = make_model(model_name);
    table.rows.push_back({word_cell(model_name), whole_cell(parameter_count(model)),
                          whole_cell(static_cast<std::int64_t>(model.parameters.size())),
                          whole_cell(model.image_size),
                          number_cell(static_cast<double>(forward_multiply_adds(model)) / 1e9)});
  }
  return table;
}

Table list_layers(const Model& model, const RecipeOptions& recipe) {
  std::map<std::string, Work> work;
  for (const PlacedOp& placed : step_ops(model, recipe)) work[placed.layer].add(placed);
  Table table{fmt::format("Layers of {}, and a step's work in each with {} images ({})", model.name,
                          recipe.batch, enum_name(kRecipeNames, recipe.kind)),
              {{"layer", "layer"},
               {"input", "input"},
               {"output", "output"},
               {"parameters", "parameters"},
               {"op runs", "op_runs"},
               {"kernels", "kernels"},
               {"GFLOP", "gflop", 3},
               {"MB", "least_mb", 3}},
              {}};
  const auto add_row = [&](const std::string& layer, const std::string& input,
                           const std::string& output, std::int64_t parameters) {
    const Work& sum = work[layer];
    table.rows.push_back({word_cell(layer), word_cell(input), word_cell(output),
                          whole_cell(parameters), whole_cell(sum.runs), whole_cell(sum.kernels),
                          number_cell(sum.flop / 1e9), number_cell(sum.bytes / 1e6)});
    work.erase(layer);
  };
  for (const Layer& layer : model.layers) {
    std::int64_t parameters = 0;
    for (const Parameter& parameter : layer.parameters) parameters += elements(parameter);
    add_row(layer.name, shape_text(layer.input), shape_text(layer.output), parameters);
  }
  // What belongs to no layer: input, ddp, optimizer.
  while (!work.empty()) add_row(std::string(work.begin()->first), "", "", 0);
  return table;
}

Table list_ops(const Model& model, const RecipeOptions& recipe) {
  std::vector<Op> order;
  std::map<std::string, Work> work;
  for (const PlacedOp& placed : step_ops(model, recipe)) {
    Work& sum = work[key(placed.op)];
    if (sum.runs == 0) order.push_back(placed.op);
    sum.add(placed);
  }
  Table table{fmt::format("Distinct ops of a step of {} with {} images ({})", model.name,
                          recipe.batch, enum_name(kRecipeNames, recipe.kind)),
              {{"op", "key"},
               {"class", "class"},
               {"runs/step", "count"},
               {"kernels/run", "kernels"},
               {"GFLOP/run", "gflop", 3},
               {"least MB/run", "least_mb", 3}},
              {}};
  for (const Op& op : order) {
    const Cost one = cost(op);
    table.rows.push_back({word_cell(key(op)), word_cell(name(op_class(op.family))),
                          whole_cell(work[key(op)].runs), whole_cell(kernels(op)),
                          number_cell(one.flop.count() / 1e9),
                          number_cell(one.least_bytes.count() / 1e6)});
  }
  return table;
}

Table list_buckets(const Model& model, const RecipeOptions& recipe, BucketOrder order,
                   const BucketOptions& options) {
  std::vector<PlacedOp> ops;
  if (order == BucketOrder::ready) ops = step_ops(model, recipe);
  Table table{"",
              {{"bucket", "bucket"},
               {"bytes", "payload_bytes"},
               {"MiB", "payload_mib", 2},
               {"tensors", "tensors"},
               {"first", "first_parameter"},
               {"last", "last_parameter"}},
              {}};
  std::int64_t place = 0;
  for (const ModelBucket& bucket : plan_buckets(model, ops, order, options)) {
    const auto parameter = [&model](std::int64_t index) {
      return word_cell(model.parameters[static_cast<std::size_t>(index)].name);
    };
    table.rows.push_back(
        {whole_cell(++place), whole_cell(static_cast<std::int64_t>(bucket.payload.count())),
         number_cell(bucket.payload / mib(1)),
         whole_cell(static_cast<std::int64_t>(bucket.parameters.size())),
         parameter(bucket.parameters.front()), parameter(bucket.parameters.back())});
  }
  return table;
}

Table list_gpus() {
  Table table{"",
              {{"GPU", "name"},
               {"reported as", "reported_name"},
               {"cc", "compute_capability"},
               {"SMs", "sm_count"},
               {"fp32 TFLOP/s", "peak_fp32_tflop_per_s", 1},
               {"tf32", "peak_tf32_tflop_per_s", 1},
               {"fp16", "peak_fp16_tflop_per_s", 1},
               {"bf16", "peak_bf16_tflop_per_s", 1},
               {"memory GB/s", "memory_gb_per_s", 0},
               {"L2 MiB", "l2_mib", 0},
               {"W", "tdp_w", 0},
               {"year", "year"}},
              {}};
  for (const CsvRow& row : read_csv(data_dir() / "gpus.csv", gpus_schema())) {
    table.rows.push_back(
        {word_cell(row.text("name")), word_cell(row.text("reported_name")),
         word_cell(row.text("compute_capability")), whole_cell(row.integer("sm_count")),
         scaled(row, "peak_fp32", 1e12), scaled(row, "peak_tf32_tensor", 1e12),
         scaled(row, "peak_fp16_tensor_fp32acc", 1e12), scaled(row, "peak_bf16_tensor", 1e12),
         scaled(row, "memory_bandwidth_bytes_per_s", 1e9), scaled(row, "l2_bytes", 1024.0 * 1024),
         scaled(row, "tdp_w", 1), word_cell(row.text("year"))});
  }
  return table;
}

}  // namespace stepcast
