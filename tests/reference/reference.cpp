// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/reference.hpp"

#include "core/error.hpp"
#include "layers/family_rule.hpp"
#include "tests/reference/families.hpp"

namespace stepcast {
namespace {

struct Compute {
  const Op& op;
  NamedTensors& tensors;

  void operator()(const ConvShape& s) const { reference_conv(op, s, tensors); }
  void operator()(const GemmShape& s) const { reference_gemm(op, s, tensors); }
  void operator()(const AttentionShape& s) const { reference_attention(op, s, tensors); }
  void operator()(const ImageShape& s) const { reference_batchnorm(op, s, tensors); }
  void operator()(const PoolShape& s) const { reference_pool(op, s, tensors); }
  void operator()(const ElementsShape&) const { reference_elementwise(op, tensors); }
  void operator()(const TensorsShape&) const { reference_optimizer(op, tensors); }
  void operator()(const PermuteShape& s) const { reference_permute(s, tensors); }
  void operator()(const MatrixShape& s) const {
    switch (op.family) {
      case Family::layernorm_fwd:
      case Family::layernorm_bwd:
        return reference_layernorm(op, s, tensors);
      case Family::cross_entropy_fwd:
      case Family::cross_entropy_bwd:
        return reference_cross_entropy(op, s, tensors);
      default:
        return reference_bias(op, s, tensors);
    }
  }
};

void refuse_faults(const Op& op) {
  if (const std::string wrong = fault(op); !wrong.empty()) throw DataError(key(op) + ": " + wrong);
}

}  // namespace

void reference(const Op& op, Tensors& tensors) {
  refuse_faults(op);
  NamedTensors named(op, tensors);
  std::visit(Compute{op, named}, op.shape);
}

void derive(const Op& op, Tensors& tensors) {
  refuse_faults(op);
  NamedTensors named(op, tensors);
  switch (op.family) {
    case Family::attention_bwd:
      return derive_attention(op, std::get<AttentionShape>(op.shape), named);
    case Family::maxpool_bwd:
      return derive_maxpool(op, std::get<PoolShape>(op.shape), named);
    case Family::cross_entropy_bwd:
      return derive_cross_entropy(std::get<MatrixShape>(op.shape), named);
    default:
      return;
  }
}

}  // namespace stepcast
