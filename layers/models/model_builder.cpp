// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/models/model_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace stepcast {
namespace {

std::int64_t windows(std::int64_t extent, const ModelBuilder::Window& window) {
  return (extent + 2 * window.padding - window.size) / window.stride + 1;
}

void slide(Layer& layer, std::int64_t channels, const ModelBuilder::Window& window) {
  layer.window = window.size;
  layer.stride = window.stride;
  layer.padding = window.padding;
  layer.output = {channels, windows(layer.input[1], window), windows(layer.input[2], window)};
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name, std::int64_t image_size, std::int64_t classes) {
  if (classes < 1) {
    throw DataError(fmt::format("classes: {} is {}, at least 1 is needed", name, classes));
  }
  model_.name = std::move(name);
  model_.image_size = image_size;
  model_.classes = classes;
}

Layer& ModelBuilder::add(LayerKind kind, const std::string& name, const std::string& source) {
  Layer layer;
  layer.name = name;
  layer.kind = kind;
  layer.source = source;
  if (model_.layers.empty()) {
    layer.input = {3, model_.image_size, model_.image_size};
  } else if (source.empty() || kind == LayerKind::residual_add) {
    layer.input = model_.layers.back().output;
  } else {
    layer.input = std::find_if(model_.layers.begin(), model_.layers.end(), [&](const Layer& other) {
                    return other.name == source;
                  })->output;
  }
  layer.output = layer.input;
  return model_.layers.emplace_back(std::move(layer));
}

void ModelBuilder::conv(const std::string& name, std::int64_t channels, Window window, bool bias,
                        const std::string& source) {
  Layer& layer = add(LayerKind::conv, name, source);
  slide(layer, channels, window);
  layer.bias = bias;
  layer.parameters.push_back(
      {name + ".weight", {channels, layer.input[0], window.size, window.size}});
  if (bias) layer.parameters.push_back({name + ".bias", {channels}});
}

void ModelBuilder::batchnorm(const std::string& name) {
  Layer& layer = add(LayerKind::batchnorm, name);
  const std::int64_t channels = layer.input[0];
  layer.parameters = {{name + ".weight", {channels}}, {name + ".bias", {channels}}};
  // running_mean, running_var, num_batches_tracked
  model_.buffers.insert(model_.buffers.end(), {channels, channels, 1});
}

void ModelBuilder::relu(const std::string& name) { add(LayerKind::relu, name); }

void ModelBuilder::residual_add(const std::string& name, const std::string& source) {
  add(LayerKind::residual_add, name, source);
}

void ModelBuilder::maxpool(const std::string& name, Window window) {
  Layer& layer = add(LayerKind::maxpool, name);
  slide(layer, layer.input[0], window);
}

void ModelBuilder::global_avgpool(const std::string& name) {
  Layer& layer = add(LayerKind::avgpool, name);
  layer.window = layer.input[1];
  layer.output = {layer.input[0]};
}

void ModelBuilder::linear(const std::string& name, const std::string& prefix, std::int64_t width) {
  Layer& layer = add(LayerKind::linear, name);
  layer.output.back() = width;
  layer.bias = true;
  layer.parameters = {{prefix + "weight", {width, layer.input.back()}}, {prefix + "bias", {width}}};
}

void ModelBuilder::layernorm(const std::string& name, const std::string& prefix) {
  Layer& layer = add(LayerKind::layernorm, name);
  const std::int64_t width = layer.input.back();
  layer.parameters = {{prefix + "weight", {width}}, {prefix + "bias", {width}}};
}

void ModelBuilder::gelu(const std::string& name) { add(LayerKind::gelu, name); }

void ModelBuilder::attention(const std::string& name, std::int64_t heads) {
  Layer& layer = add(LayerKind::attention, name);
  layer.heads = heads;
  layer.output.back() = layer.input.back() / 3;  // q, k and v lie side by side in the input
}

void ModelBuilder::tokens(const std::string& name, const std::string& class_token,
                          const std::string& pos_embedding) {
  Layer& layer = add(LayerKind::tokens, name);
  const std::int64_t width = layer.input[0];
  layer.output = {layer.input[1] * layer.input[2] + 1, width};
  layer.parameters = {{class_token, {1, 1, width}}, {pos_embedding, {1, layer.output[0], width}}};
}

void ModelBuilder::select_token(const std::string& name) {
  Layer& layer = add(LayerKind::select_token, name);
  layer.output = {layer.input[1]};
}

void ModelBuilder::loss(const std::string& name) { add(LayerKind::loss, name).output = {1}; }

Model ModelBuilder::finish() && {
  for (const Layer& layer : model_.layers) {
    model_.parameters.insert(model_.parameters.end(), layer.parameters.begin(),
                             layer.parameters.end());
  }
  return std::move(model_);
}

}  // namespace stepcast
