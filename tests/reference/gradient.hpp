// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Derivatives of the references by central differences, to judge the backward references by.

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/reference/reference.hpp"

namespace stepcast {

/// The tensors of an op after reference(), made by filled(op, seed) and derive().
Tensors computed(const Op& op, std::uint64_t seed);

/// One operand of an op's tensors, by name.
std::vector<double>& tensor(const Op& op, Tensors& tensors, std::string_view name);

/// Sum of the products of the elements.
double inner(const std::vector<double>& a, const std::vector<double>& b);

/// The gradient of <weights, output> with respect to the elements of an input, by central
/// differences: with a step of 1e-5 their error is near 1e-9 for functions of order one.
std::vector<double> numeric_gradient(const Op& op, const Tensors& tensors, std::string_view input,
                                     std::string_view output, const std::vector<double>& weights);

/// Expects each element within `tolerance`; NaN fails.
void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance);

}  // namespace stepcast
