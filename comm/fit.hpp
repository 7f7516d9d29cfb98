// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time of an allreduce at any size and number of ranks from a measured table: measured where the
// table has the point, else fitted, and says which.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/allreduce_curve.hpp"
#include "comm/allreduce_law.hpp"
#include "comm/estimate.hpp"
#include "comm/fabric.hpp"
#include "core/units.hpp"

namespace stepcast {

/// One measured point: payload a rank, time of the slowest rank.
struct AllreducePoint {
  std::int64_t ranks = 2;
  Bytes payload;
  Seconds time;
  std::int64_t nodes = 1;
};

/// What stands around the ranks, beyond what was measured.
struct Surroundings {
  Fabric fabric = Fabric::unknown;
  std::optional<std::int64_t> ranks_per_node =
      std::nullopt;  // else as measured on several nodes, else 8
  std::optional<BytesPerSecond> network_bus =
      std::nullopt;  // bus bandwidth of a large allreduce over nodes
  Seconds network_step = kNetworkStep;
  RankLaw rank_law = kRankLaw;
};

class AllreduceTable {
 public:
  /// Errors: DataError for non-positive payload, time or nodes, ranks below 2, or ranks that do not
  /// divide over their nodes.
  explicit AllreduceTable(std::vector<AllreducePoint> points, Surroundings around = {});

  [[nodiscard]] bool empty() const { return curves_.empty(); }

  [[nodiscard]] Fabric fabric() const { return around_.fabric; }
  void set_rank_law(const RankLaw& law) { around_.rank_law = law; }

  /// Time of one allreduce; ranks == 1 costs nothing. Ranks that were measured: on their curve.
  /// Other ranks of one node: by change_ranks() from the next measured number below, above, or
  /// between both. More nodes: by change_nodes() from the most measured nodes below, else from one.
  /// It rises with the payload, and with ranks as far as the measured curves do.
  /// Errors: DataError for ranks or a payload not above 0, or with refusal()'s words.
  /// Source: docs/model.md, "Allreduce".
  [[nodiscard]] AllreduceEstimate time(std::int64_t ranks, Bytes payload) const;

  /// Why there is no time for so many ranks; empty where there is one.
  [[nodiscard]] std::string refusal(std::int64_t ranks) const;

 private:
  struct Split {
    AllreduceParts parts;
    AllreduceEstimate estimate;
  };

  [[nodiscard]] std::int64_t ranks_per_node() const;
  [[nodiscard]] std::int64_t nodes_of(std::int64_t ranks) const;
  [[nodiscard]] const AllreduceCurve* curve(std::int64_t ranks, std::int64_t nodes) const;
  [[nodiscard]] std::optional<std::int64_t> nodes_below(std::int64_t nodes) const;
  [[nodiscard]] std::string one_node_refusal(std::int64_t ranks) const;
  [[nodiscard]] Split on_one_node(std::int64_t ranks, Bytes payload) const;
  [[nodiscard]] Split from_ranks(std::int64_t from, std::int64_t ranks, Bytes payload) const;
  [[nodiscard]] AllreduceEstimate on_nodes(std::int64_t ranks, std::int64_t nodes,
                                           Bytes payload) const;

  std::map<std::pair<std::int64_t, std::int64_t>, AllreduceCurve> curves_;  // by nodes, ranks
  Surroundings around_;
};

}  // namespace stepcast
