// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/reference/families.hpp"

namespace stepcast {

void derive_cross_entropy(const MatrixShape& shape, NamedTensors& tensors) {
  const auto& logits = tensors["logits"];
  auto& logprob = tensors["logprob"];
  for (std::int64_t m = 0; m < shape.m; ++m) {
    const auto row = logits.begin() + m * shape.n;
    const double largest = *std::max_element(row, row + shape.n);
    double sum = 0;
    for (auto value = row; value != row + shape.n; ++value) sum += std::exp(*value - largest);
    const double log_sum = largest + std::log(sum);
    std::transform(row, row + shape.n, logprob.begin() + m * shape.n,
                   [&](double value) { return value - log_sum; });
  }
}

void reference_cross_entropy(const Op& op, const MatrixShape& shape, NamedTensors& tensors) {
  const auto& label = tensors["label"];
  const auto n = static_cast<std::size_t>(shape.n);
  const auto rows = static_cast<double>(shape.m);
  if (op.family == Family::cross_entropy_fwd) {
    derive_cross_entropy(shape, tensors);
    double sum = 0;
    for (std::size_t m = 0; m < label.size(); ++m) {
      sum += tensors["logprob"][m * n + static_cast<std::size_t>(label[m])];
    }
    tensors["loss"][0] = -sum / rows;
  } else {
    const auto& logprob = tensors["logprob"];
    auto& dlogits = tensors["dlogits"];
    for (std::size_t i = 0; i < dlogits.size(); ++i) {
      const bool labelled = static_cast<std::size_t>(label[i / n]) == i % n;
      dlogits[i] = (std::exp(logprob[i]) - (labelled ? 1.0 : 0.0)) / rows;
    }
  }
}

}  // namespace stepcast
