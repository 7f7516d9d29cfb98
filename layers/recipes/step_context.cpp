// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipes/step_context.hpp"

#include <utility>

namespace stepcast {

StepContext::StepContext(const Model& model, const RecipeOptions& options)
    : model_(model), options_(options), last_reader_(model.layers.size(), kNoLayer) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) layers_[model.layers[i].name] = i;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    parameters_[model.parameters[i].name] = static_cast<std::int64_t>(i);
  }
  for (std::size_t i = 1; i < model.layers.size(); ++i) {
    last_reader_[producer(i)] = i;
    if (model.layers[i].kind == LayerKind::residual_add) last_reader_[residual(i)] = i;
  }
}

std::size_t StepContext::producer(std::size_t i) const {
  const Layer& layer = model_.layers[i];
  if (i == 0) return kNoLayer;
  if (layer.source.empty() || layer.kind == LayerKind::residual_add) return i - 1;
  return layers_.at(layer.source);
}

std::size_t StepContext::residual(std::size_t i) const {
  return layers_.at(model_.layers[i].source);
}

bool StepContext::follows(std::size_t i, LayerKind kind) const {
  return i > 0 && model_.layers[i - 1].kind == kind;
}

bool StepContext::precedes(std::size_t i, LayerKind kind) const {
  return i + 1 < model_.layers.size() && model_.layers[i + 1].kind == kind;
}

bool StepContext::shares_input(std::size_t i) const {
  return i > 0 && last_reader_[producer(i)] != i;
}

std::int64_t StepContext::index(const Parameter& parameter) const {
  return parameters_.at(parameter.name);
}

void StepContext::put(std::string role, const Op& op, std::int64_t count) {
  ops_.push_back({op, layer_, std::move(role), phase_, count, {}});
}

void StepContext::mark_ready(const Parameter& parameter) {
  ops_.back().ready.push_back(index(parameter));
}

std::string_view role_suffix(const Parameter& parameter) {
  std::string_view name = parameter.name;
  name.remove_prefix(name.rfind('.') + 1);  // npos + 1 is 0
  constexpr std::string_view kPacked = "in_proj_";
  if (name.substr(0, kPacked.size()) == kPacked) name.remove_prefix(kPacked.size());
  return name;
}

}  // namespace stepcast
