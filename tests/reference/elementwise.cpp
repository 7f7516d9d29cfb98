// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/reference/families.hpp"
#include "tests/reference/gelu.hpp"

namespace stepcast {

double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }

double gelu_derivative(double x) {
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
  return 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2)) + x * density;
}

void reference_elementwise(const Op& op, NamedTensors& tensors) {
  const auto map = [&](std::string_view from, std::string_view to, auto function) {
    const auto& x = tensors[from];
    std::transform(x.begin(), x.end(), tensors[to].begin(), function);
  };
  const auto map_two = [&](std::string_view first, std::string_view second, std::string_view to,
                           auto function) {
    const auto& x = tensors[first];
    std::transform(x.begin(), x.end(), tensors[second].begin(), tensors[to].begin(), function);
  };
  switch (op.family) {
    case Family::relu_fwd:
      return map("x", "y", [](double x) { return x < 0.0 ? 0.0 : x; });
    case Family::relu_bwd:
      return map_two("dy", "y", "dx", [](double dy, double y) { return y > 0.0 ? dy : 0.0; });
    case Family::gelu_fwd:
      return map("x", "y", gelu);
    case Family::gelu_bwd:
      return map_two("dy", "x", "dx", [](double dy, double x) { return dy * gelu_derivative(x); });
    case Family::add:
      return map_two("a", "b", "y", std::plus<>());
    case Family::scale:
      return map("x", "y", [](double x) { return x / 2.0; });
    case Family::zero:
      return std::fill(tensors["y"].begin(), tensors["y"].end(), 0.0);
    case Family::increment:
      return map("y", "y", [](double y) { return y + 1.0; });
    default:  // cast, copy
      tensors["y"] = tensors["x"];
  }
}

void reference_permute(const PermuteShape& shape, NamedTensors& tensors) {
  const auto& x = tensors["x"];
  auto& y = tensors["y"];
  for (std::int64_t a = 0; a < shape.a; ++a) {
    for (std::int64_t b = 0; b < shape.b; ++b) {
      for (std::int64_t c = 0; c < shape.c; ++c) {
        y[static_cast<std::size_t>((b * shape.a + a) * shape.c + c)] =
            x[static_cast<std::size_t>((a * shape.b + b) * shape.c + c)];
      }
    }
  }
}

void reference_bias(const Op& op, const MatrixShape& shape, NamedTensors& tensors) {
  const auto n = static_cast<std::size_t>(shape.n);
  if (op.family == Family::bias_add) {
    auto& y = tensors["y"];
    const auto& bias = tensors["bias"];
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % n];
  } else {
    const auto& dy = tensors["dy"];
    auto& dbias = tensors["dbias"];
    dbias.assign(n, 0.0);
    for (std::size_t i = 0; i < dy.size(); ++i) dbias[i % n] += dy[i];
  }
}

}  // namespace stepcast
