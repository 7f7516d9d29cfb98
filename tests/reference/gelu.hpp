// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// GELU with the error function, and its derivative.

namespace stepcast {

/// x Phi(x) = 0.5 x (1 + erf(x / sqrt 2)).
double gelu(double x);

/// Phi(x) + x phi(x) = 0.5 (1 + erf(x / sqrt 2)) + x exp(-x^2 / 2) / sqrt(2 pi).
double gelu_derivative(double x);

}  // namespace stepcast
