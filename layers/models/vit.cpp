// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/models/vit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "layers/models/model_builder.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kClassToken = "class_token";

void add_block(ModelBuilder& model, const VitSpec& spec, std::int64_t number) {
  const std::string name = fmt::format("encoder.{}.", number);
  const std::string prefix = fmt::format("encoder.layers.encoder_layer_{}.", number);
  const std::string input = model.last();
  model.layernorm(name + "ln_1", prefix + "ln_1.");
  model.linear(name + "self_attention.in_proj", prefix + "self_attention.in_proj_", 3 * spec.width);
  model.attention(name + "self_attention.attention", spec.heads);
  model.linear(name + "self_attention.out_proj", prefix + "self_attention.out_proj.", spec.width);
  model.residual_add(name + "add_1", input);
  const std::string middle = model.last();
  model.layernorm(name + "ln_2", prefix + "ln_2.");
  model.linear(name + "mlp.fc1", prefix + "mlp.0.", spec.mlp_width);
  model.gelu(name + "mlp.gelu");
  model.linear(name + "mlp.fc2", prefix + "mlp.3.", spec.width);
  model.residual_add(name + "add_2", middle);
}

}  // namespace

Model make_vit(std::string_view name, const VitSpec& spec, std::int64_t image_size,
               std::int64_t classes) {
  if (image_size < spec.patch || image_size % spec.patch != 0) {
    throw DataError(fmt::format("image size {}: {} takes multiples of its patch size {}",
                                image_size, name, spec.patch));
  }
  ModelBuilder builder(std::string(name), image_size, classes);
  builder.conv("conv_proj", spec.width, {spec.patch, spec.patch, 0}, true);
  builder.tokens("tokens", std::string(kClassToken), "encoder.pos_embedding");
  for (std::int64_t i = 0; i < spec.blocks; ++i) add_block(builder, spec, i);
  builder.layernorm("encoder.ln", "encoder.ln.");
  builder.select_token("select_token");
  builder.linear("head", "heads.head.", classes);
  builder.loss("loss");
  Model model = std::move(builder).finish();

  // A module's own parameters come before those of its submodules, so the class token is first.
  const auto token =
      std::find_if(model.parameters.begin(), model.parameters.end(),
                   [](const Parameter& parameter) { return parameter.name == kClassToken; });
  std::rotate(model.parameters.begin(), token, token + 1);
  return model;
}

}  // namespace stepcast
