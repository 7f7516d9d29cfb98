// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// Eager PyTorch's token layers: embedding, layer norm, attention, the class token's selection.

#include <fmt/format.h>

#include "layers/recipes/eager.hpp"
#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"

namespace stepcast {

/// The concatenation of a half and an fp32 tensor copies each by a kernel of its own; of like
/// tensors, both by one. The addition of the position embedding reads it once for all images: its
/// op counts it like a second operand of full size.
void EagerStep::tokens_forward(std::size_t i) {
  const Layer& tokens = layer(i);
  const std::int64_t token = batch() * tokens.output[1];
  const std::int64_t all = output_elements(tokens, batch());
  if (step_.is_half()) {
    step_.put("cat_class", flat_op(Family::copy, Provider::native, DType::fp32, token));
    step_.put("cat_patches",
              flat_op(Family::cast, Provider::native, step_.half(), DType::fp32, all - token));
  } else {
    step_.put("cat", flat_op(Family::copy, Provider::native, DType::fp32, all));
  }
  step_.put("add_position", flat_op(Family::add, Provider::native, DType::fp32, all));
}

void EagerStep::tokens_backward(std::size_t i) {
  const Layer& tokens = layer(i);
  const std::int64_t width = tokens.output[1];
  const std::int64_t all = output_elements(tokens, batch());
  const Parameter& class_token = tokens.parameters[0];
  const Parameter& position = tokens.parameters[1];
  step_.put("grad_position", matrix_op(Family::bias_grad, Provider::native, DType::fp32,
                                       DType::fp32, {batch(), tokens.output[0] * width}));
  finish_gradient(position);
  step_.put("grad_class", matrix_op(Family::bias_grad, Provider::native, DType::fp32, DType::fp32,
                                    {batch(), width}));
  finish_gradient(class_token);
  if (step_.is_half()) {
    step_.put("cast_patches_grad", flat_op(Family::cast, Provider::native, DType::fp32,
                                           step_.half(), all - batch() * width));
  }
}

/// From [tokens][images][width] to [images][tokens][width], where the input lies the other way.
void EagerStep::layernorm_forward(std::size_t i) {
  const Layer& norm = layer(i);
  if (is_transposed(i)) {
    step_.put("permute_input",
              permute_op(Provider::native, DType::fp32, {norm.input[0], batch(), norm.input[1]}));
  }
  step_.put("fwd", matrix_op(Family::layernorm_fwd, Provider::native, DType::fp32, DType::fp32,
                             input_rows(norm, batch())));
}

void EagerStep::layernorm_backward(std::size_t i) {
  const Layer& norm = layer(i);
  const Op copy =
      permute_op(Provider::native, DType::fp32, {norm.input[0], batch(), norm.input[1]});
  // Behind it is the in-projection, whose input gradient comes back through the transposed view.
  if (layer(i + 1).kind == LayerKind::linear && step_.precedes(i + 1, LayerKind::attention)) {
    step_.put("permute_grad", copy);
  }
  if (is_transposed(i)) step_.put("permute_input_bwd", copy);
  step_.put("bwd", matrix_op(Family::layernorm_bwd, Provider::native, DType::fp32, DType::fp32,
                             input_rows(norm, batch())));
  accumulate(i);
  for (const Parameter& parameter : norm.parameters) finish_gradient(parameter);
}

/// cuDNN's fused attention for the half types, on q, k and v as [tokens][images][heads][d]. In fp32
/// PyTorch takes its memory-efficient kernel, without TF32 whatever is allowed elsewhere; the
/// unfused products stand for it.
void EagerStep::attention(std::size_t i, Family family) {
  const Provider provider = step_.is_half() ? Provider::cudnn : Provider::cublaslt;
  const bool is_forward = family == Family::attention_fwd;
  step_.put(is_forward ? "fwd" : "bwd",
            {family, Epilogue::none, provider, step_.half(), step_.half(), Layout::sbhd,
             attention_shape(layer(i), batch())});
}

/// q, k and v were selected from one packed tensor: the gradient of each is copied into a zeroed
/// tensor of the packed size, and the three are added.
void EagerStep::split_backward(std::size_t i) {
  attention(i, Family::attention_bwd);
  const std::int64_t packed = input_elements(layer(i), batch());
  const Op fill = flat_op(Family::zero, Provider::native, step_.half(), packed);
  const Op slice = flat_op(Family::copy, Provider::native, step_.half(), packed / 3);
  const Op sum = flat_op(Family::add, Provider::native, step_.half(), packed);
  for (const char part : {'v', 'k', 'q'}) {
    step_.put(fmt::format("select_fill_{}", part), fill);
    step_.put(fmt::format("select_copy_{}", part), slice);
    if (part != 'v') step_.put(fmt::format("select_sum_{}", part), sum);
  }
}

void EagerStep::select_token_backward(std::size_t i) {
  step_.put("fill_grad", flat_op(Family::zero, Provider::native, input_type(i),
                                 input_elements(layer(i), batch())));
  step_.put("copy_grad", flat_op(Family::copy, Provider::native, input_type(i),
                                 output_elements(layer(i), batch())));
}

}  // namespace stepcast
