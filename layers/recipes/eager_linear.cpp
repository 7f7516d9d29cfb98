// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// Eager PyTorch's linear layers: three different ways within one encoder block.

#include "layers/recipes/eager.hpp"
#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"

namespace stepcast {
namespace {

/// A copy of [images][tokens][width] into [tokens][images][width].
PermuteShape tokens_first(const Layer& layer, std::int64_t images, std::int64_t width) {
  return {images, layer.input[0], width};
}

}  // namespace

/// The packed in-projection's input is a transposed view: matmul copies it, the bias is added by a
/// kernel of its own, and q, k and v are then copied apart. The others are one addmm.
void EagerStep::linear_forward(std::size_t i) {
  const Layer& linear = layer(i);
  const DType half = step_.half();
  const GemmShape shape = gemm_shape(linear, batch());
  cast_parameters(i);
  cast_input(i);
  if (!step_.precedes(i, LayerKind::attention)) {
    step_.put("fprop", gemm_op(Family::gemm_fprop, step_.product(), shape, Epilogue::bias));
    return;
  }
  step_.put("permute_input",
            permute_op(Provider::native, half, tokens_first(linear, batch(), shape.k)));
  step_.put("fprop", gemm_op(Family::gemm_fprop, step_.product(), shape));
  step_.put("bias_add", matrix_op(Family::bias_add, Provider::native, half, half,
                                  output_rows(linear, batch())));
  step_.put("permute_qkv", permute_op(Provider::native, half, {shape.m, 3, shape.n / 3}));
}

void EagerStep::linear_backward(std::size_t i) {
  const Layer& linear = layer(i);
  const DType half = step_.half();
  const GemmShape shape = gemm_shape(linear, batch());
  if (step_.precedes(i, LayerKind::attention)) {
    step_.put("permute_qkv_grad", permute_op(Provider::native, half, {3, shape.m, shape.n / 3}));
  }
  if (step_.follows(i, LayerKind::attention)) {
    step_.put("permute_grad",
              permute_op(Provider::native, half, tokens_first(linear, batch(), shape.n)));
  }
  step_.put("dgrad", gemm_op(Family::gemm_dgrad, step_.product(), shape));
  step_.put("wgrad", gemm_op(Family::gemm_wgrad, step_.product(), shape));
  step_.put("bias_grad", matrix_op(Family::bias_grad, Provider::native, half, half,
                                   output_rows(linear, batch())));
  finish_product_gradients(i);
  cast_input_gradient(i);
}

}  // namespace stepcast
