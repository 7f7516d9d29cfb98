// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace stepcast {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw DataError("samples: there are none");
  std::vector<double> copy(samples.begin(), samples.end());
  for (const double sample : copy) {
    if (!std::isfinite(sample)) {
      throw DataError("samples: " + std::to_string(sample) + " is not finite");
    }
  }
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& samples, double q) {
  if (!(q >= 0.0 && q <= 1.0))
    throw DataError("quantile: " + std::to_string(q) + " is not in 0..1");
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

}  // namespace

double quantile(std::span<const double> samples, double q) {
  return quantile_of_sorted(sorted(samples), q);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

Summary summarise(std::span<const double> samples) {
  const std::vector<double> ascending = sorted(samples);
  Summary summary;
  summary.median = quantile_of_sorted(ascending, 0.5);
  summary.p25 = quantile_of_sorted(ascending, 0.25);
  summary.p75 = quantile_of_sorted(ascending, 0.75);
  summary.min = ascending.front();
  summary.p95 = quantile_of_sorted(ascending, 0.95);
  if (summary.median != 0.0) summary.noise = (summary.p75 - summary.p25) / 2.0 / summary.median;
  summary.samples = static_cast<std::int64_t>(ascending.size());
  return summary;
}

}  // namespace stepcast
