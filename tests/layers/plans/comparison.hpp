// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// When a result in a GPU's precision counts as equal to one computed in double.

#include <span>
#include <string>

#include "core/dtype.hpp"

namespace stepcast {

/// Largest relative error of rounding to a type: 2^-11 (fp16, and tf32 for the factors of its
/// products), 2^-8 (bf16), 2^-4 (e4m3), 2^-24 (fp32); 0 for whole numbers, which must agree
/// exactly.
double epsilon(DType type);

/// An element may be wrong by factor * epsilon * (|want| + rms of all wanted elements), where the
/// rms is taken to be at least `scale`.
///
/// The rounding errors of a sum of k products of numbers around 1 grow as the square root of k, and
/// so does the rms of its results: the rms is that root, measured. It also holds where results are
/// small because their terms are, as the probabilities of attention.
struct Tolerance {
  double epsilon = 0;
  double factor = 0;
  double scale = 0;  // size of the terms, where a result is small because they cancel: a mean
};

/// Empty if every element is within the tolerance; else how many are not, and the first of them:
/// place, value, wanted value and what was allowed. NaN is never within, and neither is a result of
/// another size.
std::string difference(std::span<const double> got, std::span<const double> want,
                       const Tolerance& tolerance);

}  // namespace stepcast
