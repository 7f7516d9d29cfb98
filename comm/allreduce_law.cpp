// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/allreduce_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "comm/collective.hpp"

namespace stepcast {

AllreduceParts parts_of(Seconds time, std::int64_t ranks, Bytes payload, BytesPerSecond bus) {
  const Seconds wire = std::min(wire_bytes(ranks, payload) / bus, time);
  return {time - wire, wire};
}

AllreduceParts change_ranks(const AllreduceParts& parts, std::int64_t from, std::int64_t to,
                            Bytes payload, BytesPerSecond bus, const RankLaw& law) {
  double gain = 1.0;
  if (from == 2 && to > 2) gain = law.pair_gain;
  if (from > 2 && to == 2) gain = 1.0 / law.pair_gain;
  const Seconds steps = law.step * (2.0 * static_cast<double>(to - from));
  return {std::max(parts.excess + steps, Seconds(0)), wire_bytes(to, payload) / (bus * gain)};
}

AllreduceParts change_nodes(const AllreduceParts& parts, std::int64_t from, std::int64_t to,
                            std::int64_t ranks, Bytes payload, BytesPerSecond bus,
                            Seconds network_step) {
  const double hops = 2.0 * std::log2(static_cast<double>(to) / static_cast<double>(from));
  return {std::max(parts.excess + network_step * hops, Seconds(0)),
          wire_bytes(ranks, payload) / bus};
}

AllreduceEstimate fitted(Seconds time, double error, std::string note) {
  return {time, time / (1.0 + error), time / (1.0 - error), Origin::fitted, std::move(note)};
}

}  // namespace stepcast
