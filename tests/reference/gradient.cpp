// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/gradient.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/reference/fill.hpp"
#include "tests/reference/named_tensors.hpp"

namespace stepcast {

Tensors computed(const Op& op, std::uint64_t seed) {
  Tensors tensors = filled(op, seed);
  derive(op, tensors);
  reference(op, tensors);
  return tensors;
}

std::vector<double>& tensor(const Op& op, Tensors& tensors, std::string_view name) {
  return NamedTensors(op, tensors)[name];
}

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> numeric_gradient(const Op& op, const Tensors& tensors, std::string_view input,
                                     std::string_view output, const std::vector<double>& weights) {
  constexpr double kStep = 1e-5;
  const auto shifted = [&](std::size_t element, double by) {
    Tensors moved = tensors;
    tensor(op, moved, input)[element] += by;
    reference(op, moved);
    return inner(weights, tensor(op, moved, output));
  };
  Tensors copy = tensors;
  std::vector<double> gradient(tensor(op, copy, input).size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] = (shifted(i, kStep) - shifted(i, -kStep)) / (2.0 * kStep);
  }
  return gradient;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
  }
}

}  // namespace stepcast
