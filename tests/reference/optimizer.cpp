// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/reference/families.hpp"

namespace stepcast {
namespace {

constexpr double kLearningRate = 0.1;
constexpr double kMomentum = 0.9;
constexpr double kUnscale = 1.0 / 1024.0;

}  // namespace

void reference_optimizer(const Op& op, NamedTensors& tensors) {
  auto& gradient = tensors["gradient"];
  if (op.family == Family::sgd) {
    auto& weight = tensors["weight"];
    auto& momentum = tensors["momentum"];
    for (std::size_t i = 0; i < weight.size(); ++i) {
      momentum[i] = kMomentum * momentum[i] + gradient[i];
      weight[i] -= kLearningRate * momentum[i];
    }
  } else {
    for (double& value : gradient) {
      if (!std::isfinite(value)) tensors["found_inf"][0] = 1.0;
      value *= kUnscale;
    }
  }
}

}  // namespace stepcast
