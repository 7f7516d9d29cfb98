// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Order statistics of a series of samples.

#include <cstdint>
#include <span>

namespace stepcast {

/// The q-quantile (0 to 1) with linear interpolation between the two nearest order statistics.
/// Errors: DataError if there are no samples or one is not finite.
double quantile(std::span<const double> samples, double q);

double median(std::span<const double> samples);

/// `median` is the mean of the middle fifth of the samples: finer than the steps of the clock that
/// took them.
struct Summary {
  double median = 0, p25 = 0, p75 = 0, min = 0, p95 = 0;
  double noise = 0;         // half the interquartile range over the median
  double median_error = 0;  // standard error of the median over the median, from the noise
  std::int64_t samples = 0;
};

/// Errors: as quantile().
Summary summarise(std::span<const double> samples);

}  // namespace stepcast
