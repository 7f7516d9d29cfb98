// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// Both ends of an eager step: loss and loss scaling, DDP's buffers and copies, the optimizer.

#include <fmt/format.h>

#include <map>

#include "layers/recipes/eager.hpp"
#include "layers/recipes/layer_shapes.hpp"
#include "layers/recipes/op_makers.hpp"

namespace stepcast {
namespace {

/// log_softmax computes in fp32. A kernel that reads halves itself exists for fp16 alone; bf16
/// logits are cast (ATen/native/SoftMax.cpp).
DType loss_type(const StepContext& step) {
  return step.product() == DType::fp16 ? DType::fp16 : DType::fp32;
}

}  // namespace

/// DDP broadcasts coalesced buffers from rank 0 and copies each back by a kernel of its own, before
/// every forward pass: running means and variances in fp32, counters in int64.
void EagerStep::broadcast_buffers() {
  step_.at("ddp");
  std::map<std::int64_t, std::int64_t> tensors;  // number of buffers of each size
  for (const std::int64_t size : step_.model().buffers) ++tensors[size];
  for (const auto& [size, count] : tensors) {
    const bool is_counter = size == 1;
    step_.put(
        is_counter ? "copy_buffer_counter" : fmt::format("copy_buffer_{}", size),
        flat_op(Family::copy, Provider::native, is_counter ? DType::int64 : DType::fp32, size),
        count);
  }
}

void EagerStep::loss_forward(std::size_t i) {
  const MatrixShape logits = input_rows(layer(i), batch());
  if (step_.product() == DType::bf16) {
    step_.put("cast_logits", flat_op(Family::cast, Provider::native, DType::bf16, DType::fp32,
                                     logits.m * logits.n));
  }
  step_.put("fwd", matrix_op(Family::cross_entropy_fwd, Provider::native, loss_type(step_),
                             DType::fp32, logits));
  if (step_.product() == DType::fp16) {
    step_.put("scale_loss", flat_op(Family::scale, Provider::native, DType::fp32, 1));
  }
}

void EagerStep::loss_backward(std::size_t i) {
  const MatrixShape logits = input_rows(layer(i), batch());
  step_.put("fill_loss_grad", flat_op(Family::zero, Provider::native, DType::fp32, 1));
  if (step_.product() == DType::fp16) {
    step_.put("scale_loss_grad", flat_op(Family::scale, Provider::native, DType::fp32, 1));
  }
  step_.put("fill_nll_grad",
            flat_op(Family::zero, Provider::native, DType::fp32, logits.m * logits.n));
  step_.put("bwd", matrix_op(Family::cross_entropy_bwd, Provider::native, loss_type(step_),
                             loss_type(step_), logits));
  if (step_.product() == DType::bf16) {
    step_.put("cast_logits_grad", flat_op(Family::cast, Provider::native, DType::fp32, DType::bf16,
                                          logits.m * logits.n));
  }
}

/// DDP without gradient_as_bucket_view: each gradient is copied out of its bucket.
void EagerStep::copy_out() {
  for (const std::int64_t index : ready_) {
    const auto place = static_cast<std::size_t>(index);
    const Parameter& parameter = step_.model().parameters[place];
    step_.at(layer(owner_[place]).name);
    step_.put(fmt::format("copy_out_{}", role_suffix(parameter)),
              flat_op(Family::copy, Provider::native, DType::fp32, elements(parameter)));
    step_.mark_ready(parameter);
  }
}

/// GradScaler (fp16) inverts its scale in three kernels (to double, reciprocal, to float), zeroes
/// the flag of infinities and unscales all gradients; SGD is the foreach implementation.
void EagerStep::optimizer() {
  const TensorsShape all{parameter_count(step_.model()),
                         static_cast<std::int64_t>(step_.model().parameters.size())};
  if (step_.product() == DType::fp16) {
    step_.put("inverse_scale", flat_op(Family::scale, Provider::native, DType::fp32, 1), 3);
    step_.put("fill_found_inf", flat_op(Family::zero, Provider::native, DType::fp32, 1));
    step_.put("unscale", tensors_op(Family::unscale, Provider::native, all));
  }
  step_.put("sgd", tensors_op(Family::sgd, Provider::native, all));
}

}  // namespace stepcast
