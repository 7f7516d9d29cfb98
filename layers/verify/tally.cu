// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/tally.cuh"

#include <algorithm>
#include <string>
#include <utility>

#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {

Tally::Tally(std::vector<Operand> operands)
    : operands_(std::move(operands)), slots_(operands_.size()) {
  reset(nullptr);
}

void Tally::reset(cudaStream_t stream) {
  const std::vector<TallySlot> empty(operands_.size());
  check(
      cudaMemcpyAsync(slots_.data(), empty.data(), slots_.bytes(), cudaMemcpyHostToDevice, stream),
      "emptying a tally");
  check(cudaStreamSynchronize(stream), "emptying a tally");
}

Verdict Tally::verdict(cudaStream_t stream) const {
  std::vector<TallySlot> slots(operands_.size());
  check(
      cudaMemcpyAsync(slots.data(), slots_.data(), slots_.bytes(), cudaMemcpyDeviceToHost, stream),
      "reading a tally");
  check(cudaStreamSynchronize(stream), "comparing with the reference");
  return verdict_of(operands_, slots);
}

bool has_operand(const VerifyCase& checked, std::string_view name) {
  const auto& operands = checked.tally.operands();
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand& operand) { return operand.name == name; });
}

std::size_t place_of(const VerifyCase& checked, std::string_view name) {
  const auto& operands = checked.tally.operands();
  for (std::size_t place = 0; place < operands.size(); ++place) {
    if (operands[place].name == name) return place;
  }
  throw DataError(key(checked.op) + ": no operand " + std::string(name));
}

Allowance allowance_at(const VerifyCase& checked, std::size_t place) {
  return allowance(checked.op, checked.tally.operands()[place]);
}

}  // namespace stepcast
