// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipes/fused.hpp"

#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"
#include "layers/recipes/recipes.hpp"

namespace stepcast {

std::vector<PlacedOp> fused_step(const Model& model, const RecipeOptions& options) {
  return FusedStep(model, options).run();
}

std::vector<PlacedOp> FusedStep::run() {
  const std::size_t layers = step_.model().layers.size();
  step_.enter(Phase::forward);
  for (std::size_t i = 0; i < layers; ++i) {
    step_.at(layer(i).name);
    if (!is_epilogue(i)) forward(i);
  }
  step_.enter(Phase::backward);
  for (std::size_t i = layers; i-- > 0;) {
    step_.at(layer(i).name);
    if (!is_epilogue(i)) backward(i);
  }
  step_.enter(Phase::optimizer);
  step_.at("optimizer");
  optimizer();
  return step_.take();
}

bool FusedStep::is_epilogue(std::size_t i) const {
  switch (layer(i).kind) {
    case LayerKind::residual_add:
      return step_.follows(i, LayerKind::batchnorm);
    case LayerKind::relu:
      return step_.follows(i, LayerKind::batchnorm) ||
             (step_.follows(i, LayerKind::residual_add) && is_epilogue(i - 1));
    case LayerKind::gelu:
      return step_.follows(i, LayerKind::linear);
    default:
      return false;
  }
}

void FusedStep::forward(std::size_t i) {
  switch (layer(i).kind) {
    case LayerKind::conv:
      return conv_forward(i);
    case LayerKind::batchnorm:
      return batchnorm(i, Family::batchnorm_fwd);
    case LayerKind::relu:
      return input_op(i, "fwd", Family::relu_fwd);
    case LayerKind::residual_add:
      return input_op(i, "fwd", Family::add);
    case LayerKind::maxpool:
      return pool(i, Family::maxpool_fwd);
    case LayerKind::avgpool:
      return pool(i, Family::avgpool_fwd);
    case LayerKind::linear:
      return linear_forward(i);
    case LayerKind::layernorm:
      return matrix(i, Family::layernorm_fwd);
    case LayerKind::gelu:
      return input_op(i, "fwd", Family::gelu_fwd);
    case LayerKind::attention:
      return attention(i, Family::attention_fwd);
    case LayerKind::tokens:
      return tokens_forward(i);
    case LayerKind::select_token:
      return;  // the head reads its rows in place
    case LayerKind::loss:
      return matrix(i, Family::cross_entropy_fwd);
  }
}

void FusedStep::backward(std::size_t i) {
  switch (layer(i).kind) {
    case LayerKind::conv:
      return conv_backward(i);
    case LayerKind::batchnorm:
      batchnorm(i, Family::batchnorm_bwd);
      return mark_parameters_ready(i);
    case LayerKind::relu:
      return input_op(i, "bwd", Family::relu_bwd);
    case LayerKind::residual_add:
      return;  // both branches read the sum's gradient
    case LayerKind::maxpool:
      return pool(i, Family::maxpool_bwd);
    case LayerKind::avgpool:
      return pool(i, Family::avgpool_bwd);
    case LayerKind::linear:
      return linear_backward(i);
    case LayerKind::layernorm:
      matrix(i, Family::layernorm_bwd);
      mark_parameters_ready(i);
      return accumulate(i);
    case LayerKind::gelu:
      return input_op(i, "bwd", Family::gelu_bwd);
    case LayerKind::attention:
      return attention(i, Family::attention_bwd);
    case LayerKind::tokens:
      return tokens_backward(i);
    case LayerKind::select_token:
      return select_token_backward(i);
    case LayerKind::loss:
      return matrix(i, Family::cross_entropy_bwd);
  }
}

/// One kernel updates the fp32 weights; half weights for the next step are cast from them by one
/// more. A loss scale is folded into the learning rate.
void FusedStep::optimizer() {
  const std::int64_t count = parameter_count(step_.model());
  const auto tensors = static_cast<std::int64_t>(step_.model().parameters.size());
  step_.put("sgd", tensors_op(Family::sgd, Provider::cuda, {count, tensors}));
  if (step_.is_half()) {
    step_.put("cast_weights",
              flat_op(Family::cast, Provider::cuda, DType::fp32, step_.half(), count));
  }
}

void FusedStep::input_op(std::size_t i, const char* role, Family family) {
  step_.put(role, flat_op(family, Provider::cuda, step_.half(), input_elements(layer(i), batch())));
}

void FusedStep::accumulate(std::size_t i) {
  if (step_.shares_input(i)) input_op(i, "accumulate", Family::add);
}

void FusedStep::mark_parameters_ready(std::size_t i) {
  for (const Parameter& parameter : layer(i).parameters) step_.mark_ready(parameter);
}

}  // namespace stepcast
