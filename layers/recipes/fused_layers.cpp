// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// The ops of each kind of layer in the fused recipe.

#include "layers/recipes/fused.hpp"
#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"

namespace stepcast {

void FusedStep::conv_forward(std::size_t i) {
  const Layer& conv = layer(i);
  step_.put("fprop", image_op(Family::conv_fprop, Provider::cudnn, step_.product(),
                              step_.options().layout, conv_shape(conv, batch())));
  if (!conv.bias) return;
  const MatrixShape pixels{output_elements(conv, batch()) / conv.output[0], conv.output[0]};
  step_.put("bias_add",
            matrix_op(Family::bias_add, Provider::cuda, step_.half(), step_.half(), pixels));
}

void FusedStep::conv_backward(std::size_t i) {
  const Layer& conv = layer(i);
  const Layout layout = step_.options().layout;
  const ConvShape shape = conv_shape(conv, batch());
  if (i > 0) {
    step_.put("dgrad",
              image_op(Family::conv_dgrad, Provider::cudnn, step_.product(), layout, shape));
  }
  step_.put("wgrad", image_op(Family::conv_wgrad, Provider::cudnn, step_.product(), layout, shape));
  step_.mark_ready(conv.parameters[0]);
  if (conv.bias) {
    const MatrixShape pixels{output_elements(conv, batch()) / conv.output[0], conv.output[0]};
    step_.put("bias_grad",
              matrix_op(Family::bias_grad, Provider::cuda, step_.half(), step_.half(), pixels));
    step_.mark_ready(conv.parameters[1]);
  }
  accumulate(i);
}

/// With the ReLU, or the residual addition and its ReLU, that follow.
void FusedStep::batchnorm(std::size_t i, Family family) {
  Epilogue epilogue = Epilogue::none;
  if (step_.precedes(i, LayerKind::relu)) epilogue = Epilogue::relu;
  if (step_.precedes(i, LayerKind::residual_add)) epilogue = Epilogue::add_relu;
  step_.put(family == Family::batchnorm_fwd ? "fwd" : "bwd",
            image_op(family, Provider::cuda, step_.half(), step_.options().layout,
                     image_shape(layer(i), batch()), epilogue));
}

void FusedStep::pool(std::size_t i, Family family) {
  const bool is_forward = family == Family::maxpool_fwd || family == Family::avgpool_fwd;
  step_.put(is_forward ? "fwd" : "bwd",
            image_op(family, Provider::cuda, step_.half(), step_.options().layout,
                     pool_shape(layer(i), batch())));
}

void FusedStep::linear_forward(std::size_t i) {
  const bool gelu = step_.precedes(i, LayerKind::gelu);
  step_.put("fprop", gemm_op(Family::gemm_fprop, step_.product(), gemm_shape(layer(i), batch()),
                             gelu ? Epilogue::bias_gelu : Epilogue::bias));
}

void FusedStep::linear_backward(std::size_t i) {
  const GemmShape shape = gemm_shape(layer(i), batch());
  const bool gelu = step_.follows(i, LayerKind::gelu) && is_epilogue(i - 1);
  step_.put("dgrad", gemm_op(Family::gemm_dgrad, step_.product(), shape,
                             gelu ? Epilogue::dgelu : Epilogue::none));
  step_.put("wgrad", gemm_op(Family::gemm_wgrad, step_.product(), shape, Epilogue::bgrad));
  mark_parameters_ready(i);
}

/// Layer norm and loss: rows in the half type.
void FusedStep::matrix(std::size_t i, Family family) {
  const bool is_forward = family == Family::layernorm_fwd || family == Family::cross_entropy_fwd;
  const DType out = family == Family::cross_entropy_fwd ? DType::fp32 : step_.half();
  step_.put(is_forward ? "fwd" : "bwd",
            matrix_op(family, Provider::cuda, step_.half(), out, input_rows(layer(i), batch())));
}

/// No library call fuses attention in fp32 or TF32: products and softmax apart, with the tokens
/// first, where one batched product does for all images and heads.
void FusedStep::attention(std::size_t i, Family family) {
  const bool is_fused = step_.is_half();
  step_.put(family == Family::attention_fwd ? "fwd" : "bwd",
            {family, Epilogue::none, is_fused ? Provider::cudnn : Provider::cublaslt,
             step_.product(), step_.product(), is_fused ? Layout::bshd : Layout::sbhd,
             attention_shape(layer(i), batch())});
}

/// One kernel writes patches and class token, position embedding added.
void FusedStep::tokens_forward(std::size_t i) {
  step_.put("fwd",
            flat_op(Family::add, Provider::cuda, step_.half(), output_elements(layer(i), batch())));
}

void FusedStep::tokens_backward(std::size_t i) {
  const Layer& tokens = layer(i);
  const std::int64_t width = tokens.output[1];
  step_.put("grad_position", matrix_op(Family::bias_grad, Provider::cuda, step_.half(),
                                       step_.half(), {batch(), tokens.output[0] * width}));
  step_.mark_ready(tokens.parameters[1]);
  step_.put("grad_class", matrix_op(Family::bias_grad, Provider::cuda, step_.half(), step_.half(),
                                    {batch(), width}));
  step_.mark_ready(tokens.parameters[0]);
  // The patches' rows without those of the class tokens, in the convolution's layout.
  step_.put("copy_patches",
            flat_op(Family::copy, Provider::cuda, step_.half(), input_elements(tokens, batch())));
}

void FusedStep::select_token_backward(std::size_t i) {
  step_.put("fill_grad",
            flat_op(Family::zero, Provider::cuda, step_.half(), input_elements(layer(i), batch())));
  step_.put("copy_grad", flat_op(Family::copy, Provider::cuda, step_.half(),
                                 output_elements(layer(i), batch())));
}

}  // namespace stepcast
