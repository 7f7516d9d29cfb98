// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/step/block_row.hpp"

#include <unordered_set>

#include "layers/cost.hpp"

namespace stepcast {

BlockRow block_row(const Case& block, std::span<const Alone> alone, const BlockTiming& timing,
                   Bytes l2, const std::string& run) {
  BlockRow row;
  row.block = block.name;
  row.run = run;
  row.status = timing.status;
  row.reason = timing.reason;
  row.ops = static_cast<std::int64_t>(block.ops.size());
  if (timing.status != RowStatus::ok) return row;
  Seconds sum;
  Seconds cold;
  Seconds hot;
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const bool is_cold = cache_mode(cost(block.ops[i]), l2) == "cold";
    sum += is_cold ? alone[i].cold : alone[i].hot;
    cold += alone[i].cold;
    hot += alone[i].hot;
  }
  row.sum_s = sum.count();
  row.sum_cold_s = cold.count();
  row.sum_hot_s = hot.count();
  row.median_s = timing.chained.summary.median;
  row.median_error = timing.chained.summary.median_error;
  row.apart_s = timing.apart.summary.median;
  row.difference = row.median_s / row.sum_s - 1.0;
  row.sm_clock_mhz = timing.chained.sm_clock_mhz;
  return row;
}

std::vector<Case> distinct_blocks(std::span<const Case> cases) {
  std::vector<Case> blocks;
  std::unordered_set<std::string> seen;
  for (const Case& candidate : cases) {
    if (candidate.ops.size() < 2) continue;
    if (seen.insert(identity(candidate)).second) blocks.push_back(candidate);
  }
  return blocks;
}

}  // namespace stepcast
