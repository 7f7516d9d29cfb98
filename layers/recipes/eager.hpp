// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// EagerStep: the ops of a step as eager PyTorch 2.11 with autocast, foreach SGD and DDP launches
// them on compute capability 9.0. Rules and their sources: docs/recipes.md.

#include <cstdint>
#include <string_view>
#include <vector>

#include "layers/recipes/step_context.hpp"

namespace stepcast {

class EagerStep {
 public:
  EagerStep(const Model& model, const RecipeOptions& options);

  std::vector<PlacedOp> run();

 private:
  void forward(std::size_t i);
  void backward(std::size_t i);

  // eager_image.cpp
  void conv_forward(std::size_t i);
  void conv_backward(std::size_t i);
  void batchnorm_forward(std::size_t i);
  void batchnorm_backward(std::size_t i);
  void pool_forward(std::size_t i);
  void pool_backward(std::size_t i);

  // eager_linear.cpp
  void linear_forward(std::size_t i);
  void linear_backward(std::size_t i);

  // eager_token.cpp
  void tokens_forward(std::size_t i);
  void tokens_backward(std::size_t i);
  void layernorm_forward(std::size_t i);
  void layernorm_backward(std::size_t i);
  void attention(std::size_t i, Family family);
  void split_backward(std::size_t i);
  void select_token_backward(std::size_t i);

  // eager_ends.cpp
  void broadcast_buffers();
  void loss_forward(std::size_t i);
  void loss_backward(std::size_t i);
  void copy_out();
  void optimizer();

  // eager.cpp
  void residual_forward(std::size_t i);
  void residual_backward(std::size_t i);
  /// One native op on all elements of layer i's output.
  void activation(std::size_t i, std::string_view role, Family family);
  /// Autocast's cast of an fp32 input to the half type, and its backward.
  void cast_input(std::size_t i);
  void cast_input_gradient(std::size_t i);
  void cast_parameters(std::size_t i);
  /// What follows a half gradient of each of the layer's parameters: its cast to fp32, DDP's
  /// copy-in.
  void finish_product_gradients(std::size_t i);
  /// What follows an fp32 gradient: DDP's copy-in, or nothing.
  void finish_gradient(const Parameter& parameter);
  /// The addition of the gradients of two readers of one tensor.
  void accumulate(std::size_t i);

  [[nodiscard]] const Layer& layer(std::size_t i) const { return step_.layer(i); }
  [[nodiscard]] std::int64_t batch() const { return step_.batch(); }
  [[nodiscard]] DType input_type(std::size_t i) const;
  /// True if the tensor that layer i reads lies in memory as [tokens][images][width], which
  /// nn.MultiheadAttention's transposes leave behind; a layer norm copies it first.
  [[nodiscard]] bool is_transposed(std::size_t i) const;

  StepContext step_;
  std::vector<DType> output_type_;   // of each layer
  std::vector<std::int64_t> ready_;  // parameters in the order in which gradients become ready
  std::vector<std::size_t> owner_;   // layer of each parameter
};

}  // namespace stepcast
