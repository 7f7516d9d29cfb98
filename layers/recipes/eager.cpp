// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipes/eager.hpp"

#include <algorithm>
#include <string>

#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"
#include "layers/recipes/recipes.hpp"

namespace stepcast {

std::vector<PlacedOp> eager_step(const Model& model, const RecipeOptions& options) {
  return EagerStep(model, options).run();
}

EagerStep::EagerStep(const Model& model, const RecipeOptions& options)
    : step_(model, options), owner_(model.parameters.size()) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const Parameter& parameter : layer(i).parameters) {
      owner_[static_cast<std::size_t>(step_.index(parameter))] = i;
    }
    switch (layer(i).kind) {
      case LayerKind::conv:
      case LayerKind::linear:  // on autocast's list of the half type
        output_type_.push_back(step_.half());
        break;
      case LayerKind::layernorm:  // on its fp32 list
      case LayerKind::tokens:     // the concatenation promotes
      case LayerKind::loss:
        output_type_.push_back(DType::fp32);
        break;
      case LayerKind::residual_add: {  // promotes
        const bool is_fp32 =
            input_type(i) == DType::fp32 || output_type_[step_.residual(i)] == DType::fp32;
        output_type_.push_back(is_fp32 ? DType::fp32 : step_.half());
        break;
      }
      default:  // on neither list: as the input
        output_type_.push_back(input_type(i));
    }
  }
}

std::vector<PlacedOp> EagerStep::run() {
  const std::size_t layers = step_.model().layers.size();
  step_.enter(Phase::forward);
  if (step_.options().ddp) broadcast_buffers();
  for (std::size_t i = 0; i < layers; ++i) {
    step_.at(layer(i).name);
    forward(i);
  }
  step_.enter(Phase::backward);
  for (std::size_t i = layers; i-- > 0;) {
    step_.at(layer(i).name);
    backward(i);
  }
  step_.enter(Phase::finalize);
  if (step_.options().ddp) copy_out();
  step_.enter(Phase::optimizer);
  step_.at("optimizer");
  optimizer();
  return step_.take();
}

void EagerStep::forward(std::size_t i) {
  switch (layer(i).kind) {
    case LayerKind::conv:
      return conv_forward(i);
    case LayerKind::batchnorm:
      return batchnorm_forward(i);
    case LayerKind::relu:
      return activation(i, "fwd", Family::relu_fwd);
    case LayerKind::residual_add:
      return residual_forward(i);
    case LayerKind::maxpool:
    case LayerKind::avgpool:
      return pool_forward(i);
    case LayerKind::linear:
      return linear_forward(i);
    case LayerKind::layernorm:
      return layernorm_forward(i);
    case LayerKind::gelu:
      return activation(i, "fwd", Family::gelu_fwd);
    case LayerKind::attention:
      return attention(i, Family::attention_fwd);
    case LayerKind::tokens:
      return tokens_forward(i);
    case LayerKind::select_token:
      return;  // a view
    case LayerKind::loss:
      return loss_forward(i);
  }
}

void EagerStep::backward(std::size_t i) {
  switch (layer(i).kind) {
    case LayerKind::conv:
      return conv_backward(i);
    case LayerKind::batchnorm:
      return batchnorm_backward(i);
    case LayerKind::relu:
      return activation(i, "bwd", Family::relu_bwd);
    case LayerKind::residual_add:
      return residual_backward(i);
    case LayerKind::maxpool:
    case LayerKind::avgpool:
      return pool_backward(i);
    case LayerKind::linear:
      return linear_backward(i);
    case LayerKind::layernorm:
      return layernorm_backward(i);
    case LayerKind::gelu:
      return activation(i, "bwd", Family::gelu_bwd);
    case LayerKind::attention:
      return split_backward(i);
    case LayerKind::tokens:
      return tokens_backward(i);
    case LayerKind::select_token:
      return select_token_backward(i);
    case LayerKind::loss:
      return loss_backward(i);
  }
}

DType EagerStep::input_type(std::size_t i) const {
  return i == 0 ? DType::fp32 : output_type_[step_.producer(i)];
}

bool EagerStep::is_transposed(std::size_t i) const {
  return layer(step_.producer(i)).kind == LayerKind::residual_add;
}

void EagerStep::activation(std::size_t i, std::string_view role, Family family) {
  step_.put(std::string(role),
            flat_op(family, Provider::native, output_type_[i], output_elements(layer(i), batch())));
}

void EagerStep::residual_forward(std::size_t i) {
  step_.put("fwd", flat_op(Family::add, Provider::native, input_type(i), output_type_[i],
                           output_elements(layer(i), batch())));
}

/// The sum hands its gradient to both branches as it is; a half branch casts it.
void EagerStep::residual_backward(std::size_t i) {
  if (input_type(i) == output_type_[i]) return;
  step_.put("cast_branch_grad", flat_op(Family::cast, Provider::native, output_type_[i],
                                        input_type(i), output_elements(layer(i), batch())));
}

void EagerStep::cast_input(std::size_t i) {
  if (input_type(i) == step_.half()) return;
  step_.put("cast_input", flat_op(Family::cast, Provider::native, DType::fp32, step_.half(),
                                  input_elements(layer(i), batch())));
}

void EagerStep::cast_input_gradient(std::size_t i) {
  if (input_type(i) == step_.half()) return;
  step_.put("cast_input_grad", flat_op(Family::cast, Provider::native, step_.half(), DType::fp32,
                                       input_elements(layer(i), batch())));
}

void EagerStep::cast_parameters(std::size_t i) {
  if (!step_.is_half()) return;
  for (const Parameter& parameter : layer(i).parameters) {
    step_.put(
        "cast_" + std::string(role_suffix(parameter)),
        flat_op(Family::cast, Provider::native, DType::fp32, step_.half(), elements(parameter)));
  }
}

/// Autograd runs ready nodes newest first. The nodes of autocast's casts: the weight's is newer
/// than the bias's, since the compiler of PyTorch's wheels evaluates a call's arguments from the
/// last to the first. Without casts, a linear layer's bias leaves its backward node directly and
/// its weight by way of a transposition; a convolution's weight is the earlier output.
void EagerStep::finish_product_gradients(std::size_t i) {
  std::vector<Parameter> order = layer(i).parameters;
  if (!step_.is_half() && layer(i).kind == LayerKind::linear) {
    std::reverse(order.begin(), order.end());
  }
  for (const Parameter& parameter : order) {
    if (step_.is_half()) {
      step_.put(
          "cast_grad_" + std::string(role_suffix(parameter)),
          flat_op(Family::cast, Provider::native, step_.half(), DType::fp32, elements(parameter)));
    }
    finish_gradient(parameter);
  }
}

void EagerStep::finish_gradient(const Parameter& parameter) {
  if (step_.options().ddp) {
    // The multiplication by 1/ranks and the copy into the bucket are one kernel.
    step_.put("copy_in_" + std::string(role_suffix(parameter)),
              flat_op(Family::scale, Provider::native, DType::fp32, elements(parameter)));
  }
  step_.mark_ready(parameter);
  ready_.push_back(step_.index(parameter));
}

void EagerStep::accumulate(std::size_t i) {
  if (!step_.shares_input(i)) return;
  step_.put("accumulate", flat_op(Family::add, Provider::native, input_type(i),
                                  input_elements(layer(i), batch())));
}

}  // namespace stepcast
