// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/model.hpp"

#include <functional>
#include <numeric>

namespace stepcast {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t multiply_adds(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::conv:  // each output element: input channels x window
      return product(layer.output) * layer.input[0] * layer.window * layer.window;
    case LayerKind::linear:
      return product(layer.output) * layer.input.back();
    case LayerKind::attention:  // q k^T and the product with v
      return 2 * layer.input[0] * product(layer.output);
    default:
      return 0;
  }
}

}  // namespace

std::int64_t elements(const Parameter& parameter) { return product(parameter.shape); }

std::int64_t parameter_count(const Model& model) {
  std::int64_t sum = 0;
  for (const Parameter& parameter : model.parameters) sum += elements(parameter);
  return sum;
}

std::int64_t forward_multiply_adds(const Model& model) {
  std::int64_t sum = 0;
  for (const Layer& layer : model.layers) sum += multiply_adds(layer);
  return sum;
}

}  // namespace stepcast
