// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/rotation.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {
namespace {

/// The largest power of two that is at most `value`, at least 1.
std::int64_t power_of_two(double value) {
  std::int64_t power = 1;
  while (2.0 * static_cast<double>(power) <= value) power *= 2;
  return power;
}

}  // namespace

std::int64_t rotation_sets(Bytes footprint, Bytes flush, std::int64_t most) {
  constexpr std::int64_t kLeast = 2;
  if (footprint.count() <= 0) return most;
  const double others = std::ceil(flush / footprint);
  return std::clamp(static_cast<std::int64_t>(std::min(others, 1e9)) + 1, kLeast,
                    std::max(kLeast, most));
}

RotationGroup rotation_group(const Rotation& rotation, Seconds one, Seconds group_time,
                             std::int64_t most) {
  const std::int64_t sets = rotation.sets;
  const double fit =
      std::clamp(one.count() > 0 ? group_time / one : 1.0, 1.0, static_cast<double>(most));
  const double rounds = fit / static_cast<double>(sets);
  const bool covered = rotation.footprint * static_cast<double>(sets - 1) >= rotation.flush;
  if (sets > 1 && covered && (sets == 2 || rounds >= 0.5) && sets <= most) {
    return {power_of_two(rounds) * sets - 1, false};
  }
  const std::int64_t part = std::min(power_of_two(fit), std::max<std::int64_t>(1, sets - 1));
  return {part, true};
}

}  // namespace stepcast
