// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// FusedStep: the fewest ops that cuDNN, cuBLASLt and plain kernels of our own allow. Weights and
// activations in the half type, epilogues wherever a library has one, one kernel for all of SGD.
// Rules: docs/recipes.md.

#include <vector>

#include "layers/recipes/step_context.hpp"

namespace stepcast {

class FusedStep {
 public:
  FusedStep(const Model& model, const RecipeOptions& options) : step_(model, options) {}

  std::vector<PlacedOp> run();

 private:
  void forward(std::size_t i);
  void backward(std::size_t i);
  void optimizer();

  // fused_layers.cpp
  void conv_forward(std::size_t i);
  void conv_backward(std::size_t i);
  void batchnorm(std::size_t i, Family family);
  void pool(std::size_t i, Family family);
  void linear_forward(std::size_t i);
  void linear_backward(std::size_t i);
  void matrix(std::size_t i, Family family);
  void attention(std::size_t i, Family family);
  void tokens_forward(std::size_t i);
  void tokens_backward(std::size_t i);
  void select_token_backward(std::size_t i);

  /// An own kernel on the elements of layer i's input.
  void input_op(std::size_t i, const char* role, Family family);
  void accumulate(std::size_t i);
  void mark_parameters_ready(std::size_t i);

  [[nodiscard]] const Layer& layer(std::size_t i) const { return step_.layer(i); }
  [[nodiscard]] std::int64_t batch() const { return step_.batch(); }
  /// True if the op of the layer before does this layer's work as its epilogue.
  [[nodiscard]] bool is_epilogue(std::size_t i) const;

  StepContext step_;
};

}  // namespace stepcast
