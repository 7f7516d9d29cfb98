// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "core/text.hpp"

namespace stepcast {
namespace {

/// The share of its bytes that a ceiling of this name writes; nothing if it is no bandwidth.
std::optional<double> written_share_of(std::string_view name) {
  constexpr std::string_view kMix = "bandwidth_r";
  if (name == "copy_bandwidth") return 0.5;
  if (!name.starts_with(kMix)) return std::nullopt;
  const auto parts = split(name.substr(kMix.size()), 'w');
  if (parts.size() != 2) return std::nullopt;
  const auto reads = parse_integer(parts[0]);
  const auto writes = parse_integer(parts[1]);
  if (!reads || !writes || *reads + *writes <= 0) return std::nullopt;
  return static_cast<double>(*writes) / static_cast<double>(*reads + *writes);
}

}  // namespace

std::optional<BytesPerSecond> bandwidth_at(std::span<const CeilingRow> rows, double written_share) {
  std::map<double, double> rates;  // by written share
  for (const CeilingRow& row : rows) {
    const auto share = written_share_of(row.name);
    if (share) rates[*share] = std::max(rates[*share], row.value);
  }
  if (rates.empty()) return std::nullopt;
  const auto above = rates.lower_bound(written_share);
  if (above == rates.end()) return BytesPerSecond(std::prev(above)->second);
  if (above == rates.begin()) return BytesPerSecond(above->second);
  const auto below = std::prev(above);
  const double part = (written_share - below->first) / (above->first - below->first);
  return BytesPerSecond(1.0 / std::lerp(1.0 / below->second, 1.0 / above->second, part));
}

}  // namespace stepcast
