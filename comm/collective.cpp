// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/collective.hpp"

#include <string>

#include "core/error.hpp"

namespace stepcast {

double bus_factor(std::int64_t ranks) {
  if (ranks < 1) throw DataError("ranks: " + std::to_string(ranks) + " is below 1");
  const auto n = static_cast<double>(ranks);
  return 2.0 * (n - 1.0) / n;
}

Bytes wire_bytes(std::int64_t ranks, Bytes payload) { return payload * bus_factor(ranks); }

BytesPerSecond algorithm_bandwidth(Bytes payload, Seconds time) {
  if (!(time > Seconds(0))) {
    throw DataError("allreduce time: " + std::to_string(time.count()) + " s is not above 0");
  }
  return payload / time;
}

BytesPerSecond bus_bandwidth(std::int64_t ranks, Bytes payload, Seconds time) {
  return algorithm_bandwidth(payload, time) * bus_factor(ranks);
}

}  // namespace stepcast
