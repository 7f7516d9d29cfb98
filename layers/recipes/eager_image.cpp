// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// Eager PyTorch's convolution, batch norm and pooling.

#include <cstdint>

#include "layers/recipes/eager.hpp"
#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"

namespace stepcast {
namespace {

/// A transformer's images come in NCHW whatever the option says: no image tensor follows.
Layout conv_layout(const StepContext& step, std::size_t i) {
  return step.precedes(i, LayerKind::tokens) ? Layout::nchw : step.options().layout;
}

/// The output as rows of its channels.
MatrixShape pixels(const Layer& conv, std::int64_t n) {
  return {output_elements(conv, n) / conv.output[0], conv.output[0]};
}

/// _select_batch_norm_backend (ATen/native/Normalization.cpp): bf16 never goes to cuDNN, nor do
/// 2^31 elements and more.
Provider batchnorm_provider(DType type, std::int64_t elements) {
  const bool is_cudnn = type != DType::bf16 && elements < std::int64_t{1} << 31;
  return is_cudnn ? Provider::cudnn : Provider::native;
}

}  // namespace

void EagerStep::conv_forward(std::size_t i) {
  const Layer& conv = layer(i);
  if (i == 0 && step_.is_half()) {
    step_.at("input");
    step_.put("cast", flat_op(Family::cast, Provider::native, DType::fp32, step_.half(),
                              input_elements(conv, batch())));
    step_.at(conv.name);
  }
  cast_parameters(i);
  step_.put("fprop", image_op(Family::conv_fprop, Provider::cudnn, step_.product(),
                              conv_layout(step_, i), conv_shape(conv, batch())));
  if (conv.bias) {
    step_.put("bias_add", matrix_op(Family::bias_add, Provider::native, step_.half(), step_.half(),
                                    pixels(conv, batch())));
  }
}

void EagerStep::conv_backward(std::size_t i) {
  const Layer& conv = layer(i);
  const Layout layout = conv_layout(step_, i);
  const MatrixShape rows = pixels(conv, batch());
  if (step_.precedes(i, LayerKind::tokens)) {
    // From [images x pixels][channels] to NCHW. The op turns the whole matrix, where PyTorch turns
    // one image's at a time: the same bytes, strided the same way.
    step_.put("permute_grad", permute_op(Provider::native, step_.half(), {rows.m, rows.n, 1}));
  }
  if (i > 0) {
    step_.put("dgrad", image_op(Family::conv_dgrad, Provider::cudnn, step_.product(), layout,
                                conv_shape(conv, batch())));
  }
  step_.put("wgrad", image_op(Family::conv_wgrad, Provider::cudnn, step_.product(), layout,
                              conv_shape(conv, batch())));
  if (conv.bias) {
    step_.put("bias_grad",
              matrix_op(Family::bias_grad, Provider::native, step_.half(), step_.half(), rows));
  }
  accumulate(i);
  finish_product_gradients(i);
}

void EagerStep::batchnorm_forward(std::size_t i) {
  const DType type = output_type_[i];
  const Layout layout = step_.options().layout;
  const Provider provider = batchnorm_provider(type, input_elements(layer(i), batch()));
  step_.put("increment", flat_op(Family::increment, Provider::native, DType::int64, 1));
  if (provider == Provider::native && layout == Layout::nhwc) {
    step_.put("fill_stats_fwd",
              flat_op(Family::zero, Provider::native, DType::fp32, (layer(i).input[0] + 31) / 32));
  }
  step_.put("fwd", image_op(Family::batchnorm_fwd, provider, type, layout,
                            image_shape(layer(i), batch())));
}

void EagerStep::batchnorm_backward(std::size_t i) {
  const DType type = output_type_[i];
  const Layout layout = step_.options().layout;
  const Provider provider = batchnorm_provider(type, input_elements(layer(i), batch()));
  if (provider == Provider::native && layout == Layout::nhwc) {
    step_.put("fill_stats_bwd",
              flat_op(Family::zero, Provider::native, DType::fp32, (layer(i).input[0] + 31) / 32));
  }
  step_.put("bwd", image_op(Family::batchnorm_bwd, provider, type, layout,
                            image_shape(layer(i), batch())));
  for (const Parameter& parameter : layer(i).parameters) finish_gradient(parameter);
}

void EagerStep::pool_forward(std::size_t i) {
  const bool is_max = layer(i).kind == LayerKind::maxpool;
  step_.put("fwd",
            image_op(is_max ? Family::maxpool_fwd : Family::avgpool_fwd, Provider::native,
                     output_type_[i], step_.options().layout, pool_shape(layer(i), batch())));
}

void EagerStep::pool_backward(std::size_t i) {
  const bool is_max = layer(i).kind == LayerKind::maxpool;
  if (is_max) {
    step_.put("fill_grad", flat_op(Family::zero, Provider::native, input_type(i),
                                   input_elements(layer(i), batch())));
  }
  step_.put("bwd",
            image_op(is_max ? Family::maxpool_bwd : Family::avgpool_bwd, Provider::native,
                     output_type_[i], step_.options().layout, pool_shape(layer(i), batch())));
}

}  // namespace stepcast
