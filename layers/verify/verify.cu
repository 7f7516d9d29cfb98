// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/verify.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "layers/operands.hpp"
#include "layers/verify/data_check.hpp"
#include "layers/verify/references.hpp"
#include "layers/verify/tally.cuh"

namespace stepcast {
namespace {

struct VerifyFamily {
  const VerifyCase& checked;

  void operator()(const ConvShape&) const { verify_conv(checked); }
  void operator()(const GemmShape&) const { verify_gemm(checked); }
  void operator()(const AttentionShape&) const { verify_attention(checked); }
  void operator()(const ImageShape&) const { verify_batchnorm(checked); }
  void operator()(const PoolShape&) const { verify_pool(checked); }
  void operator()(const ElementsShape&) const { verify_elementwise(checked); }
  void operator()(const TensorsShape&) const { verify_optimizer(checked); }
  void operator()(const PermuteShape&) const { verify_permute(checked); }
  void operator()(const MatrixShape&) const {
    switch (checked.op.family) {
      case Family::layernorm_fwd:
      case Family::layernorm_bwd:
        return verify_layernorm(checked);
      case Family::cross_entropy_fwd:
      case Family::cross_entropy_bwd:
        return verify_cross_entropy(checked);
      default:
        return verify_bias(checked);
    }
  }
};

void refuse_missing_memory(const VerifyCase& checked) {
  const auto& operands = checked.tally.operands();
  const std::string op = key(checked.op);
  if (checked.buffers.size() != operands.size() || checked.initial.size() != operands.size()) {
    throw DataError(op + ": memory of " + std::to_string(checked.buffers.size()) + " and " +
                    std::to_string(checked.initial.size()) + " of " +
                    std::to_string(operands.size()) + " operands was given");
  }
  for (std::size_t place = 0; place < operands.size(); ++place) {
    const bool changed = operands[place].role == Role::in_out;
    if (checked.buffers[place] == nullptr || (changed && checked.initial[place] == nullptr)) {
      throw DataError(op + ": no memory of " + operands[place].name + " was given");
    }
  }
}

}  // namespace

Verdict verify(const Op& op, std::span<void* const> buffers, std::span<void* const> initial,
               cudaStream_t stream) {
  Tally tally(operands(op));
  const VerifyCase checked{op, buffers, initial, stream, tally};
  refuse_missing_memory(checked);
  std::string wrong_data = data_fault(checked);
  std::visit(VerifyFamily{checked}, op.shape);
  Verdict verdict = tally.verdict(stream);
  if (!wrong_data.empty()) verdict.fault = std::move(wrong_data);
  return verdict;
}

}  // namespace stepcast
