// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Model: a network as torchvision defines it, as layers in forward order, each with its parameters,
// for one image. Batch, precision and layout come in with a recipe.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

enum class LayerKind {
  conv,
  batchnorm,
  relu,
  residual_add,
  maxpool,
  avgpool,
  linear,
  layernorm,
  gelu,
  attention,     // softmax(q k^T) v between the projections, which are linear layers
  tokens,        // class token concatenated, position embedding added
  select_token,  // the class token taken for the head
  loss           // softmax cross-entropy
};

struct Parameter {
  std::string name;  // as in torchvision's state_dict, such as layer3.7.conv2.weight
  std::vector<std::int64_t> shape;
};

/// Elements of a parameter.
std::int64_t elements(const Parameter& parameter);

struct Layer {
  std::string name;  // layer3.7.conv2, encoder.5.mlp.fc1
  LayerKind kind = LayerKind::conv;
  std::vector<std::int64_t> input;  // of one image: {c, h, w} or {tokens, width} or {width}
  std::vector<std::int64_t> output;
  std::int64_t window = 1;  // conv and pool: kernel size (square)
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t heads = 0;  // attention
  bool bias = false;       // conv and linear
  std::string source;  // layer whose output is read, "" for the layer before (downsample, residual)
  std::vector<Parameter> parameters;  // in registration order
};

struct Model {
  std::string name;
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
  std::vector<Layer> layers;          // forward order
  std::vector<Parameter> parameters;  // registration order, as model.parameters() gives them
  std::vector<std::int64_t>
      buffers;  // elements of each buffer tensor, registration order (BN: mean, var, count)
};

/// Names of all models, as `stepcast list models` shows them.
std::span<const std::string_view> model_names();

/// Errors: DataError for an unknown name (lists the known), or an image size that the model refuses
/// (ViT: not a multiple of the patch size; ResNet: smaller than 32).
Model make_model(std::string_view name, std::int64_t image_size = 224, std::int64_t classes = 1000);

std::int64_t parameter_count(const Model& model);

/// Multiply-adds of one image's forward pass, counted as torchvision publishes them
/// (`_ops` of its weights, GFLOPS in their words: convolution and linear layers, attention
/// products).
std::int64_t forward_multiply_adds(const Model& model);

}  // namespace stepcast
