// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comm/collective.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kUsualRanksPerNode = 8;

/// Bus bandwidth of eight H100s with in-switch sums over that of rings, 480 over 370 GB/s.
/// Source: github.com/NVIDIA/nccl-tests/issues/212, a maintainer's figures.
constexpr double kSwitchSumGain = 480.0 / 370.0;

void check_point(const AllreducePoint& point) {
  const double payload = point.payload.count();
  const double time = point.time.count();
  if (point.ranks < 2 || point.nodes < 1 || point.ranks % point.nodes != 0 || !(payload > 0.0) ||
      !(time > 0.0) || !std::isfinite(payload) || !std::isfinite(time)) {
    throw DataError(fmt::format(
        "allreduce point: {} ranks on {} nodes, {} bytes, {} s; it needs 2 ranks or more, as many "
        "on each node, and size and time above 0",
        point.ranks, point.nodes, payload, time));
  }
}

BytesPerSecond bus_of(const AllreduceCurve& curve, std::int64_t ranks) {
  return bus_bandwidth(ranks, curve.largest().payload, curve.largest().time);
}

std::string measured_or(const std::string& note) { return note.empty() ? "measured" : note; }

}  // namespace

AllreduceTable::AllreduceTable(std::vector<AllreducePoint> points, Surroundings around)
    : around_(around) {
  std::for_each(points.begin(), points.end(), check_point);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<AllreduceCurve::Point>> sorted;
  for (const AllreducePoint& point : points) {
    sorted[{point.nodes, point.ranks}].push_back({point.payload, point.time});
  }
  for (auto& [place, of_place] : sorted) {
    curves_.emplace(place, AllreduceCurve(std::move(of_place)));
  }
}

std::int64_t AllreduceTable::ranks_per_node() const {
  if (around_.ranks_per_node) return *around_.ranks_per_node;
  if (!curves_.empty() && curves_.rbegin()->first.first > 1) {
    const auto [nodes, ranks] = curves_.rbegin()->first;
    return ranks / nodes;
  }
  return curves_.empty() ? kUsualRanksPerNode
                         : std::max(kUsualRanksPerNode, curves_.rbegin()->first.second);
}

std::int64_t AllreduceTable::nodes_of(std::int64_t ranks) const {
  return (ranks + ranks_per_node() - 1) / ranks_per_node();
}

const AllreduceCurve* AllreduceTable::curve(std::int64_t ranks, std::int64_t nodes) const {
  const auto found = curves_.find({nodes, ranks});
  return found == curves_.end() ? nullptr : &found->second;
}

/// The most nodes of full size, more than one and fewer than `nodes`, that were measured.
std::optional<std::int64_t> AllreduceTable::nodes_below(std::int64_t nodes) const {
  std::optional<std::int64_t> most;
  for (const auto& [place, unused] : curves_) {
    const auto [n, ranks] = place;
    if (n > 1 && n < nodes && ranks == n * ranks_per_node()) most = n;
  }
  return most;
}

std::string AllreduceTable::one_node_refusal(std::int64_t ranks) const {
  if (ranks == 1 || curve(ranks, 1) != nullptr) return "";
  const bool any = std::any_of(curves_.begin(), curves_.end(),
                               [](const auto& entry) { return entry.first.first == 1; });
  if (!any) return fmt::format("no allreduce was measured on one node, as {} ranks need", ranks);
  if (around_.fabric == Fabric::mesh) {
    return fmt::format(
        "GPUs linked in pairs: {} ranks use other links than those measured; measure {} ranks",
        ranks, ranks);
  }
  if (around_.fabric == Fabric::pcie) {
    return fmt::format(
        "GPUs without NVLink between all pairs: {} ranks share paths that those measured had to "
        "themselves; measure {} ranks",
        ranks, ranks);
  }
  return "";
}

std::string AllreduceTable::refusal(std::int64_t ranks) const {
  if (ranks <= 1) return "";
  if (empty()) return fmt::format("no allreduce was measured, as {} ranks need", ranks);
  const std::int64_t nodes = nodes_of(ranks);
  if (nodes == 1) return one_node_refusal(ranks);
  if (curve(ranks, nodes) != nullptr) return "";
  if (ranks % ranks_per_node() != 0) {
    return fmt::format("{} ranks do not fill nodes of {} GPUs (--ranks-per-node)", ranks,
                       ranks_per_node());
  }
  if (nodes_below(nodes)) return "";
  if (!around_.network_bus) {
    return fmt::format(
        "{} ranks are {} nodes of {}, and no allreduce over nodes was measured; give the network's "
        "bus bandwidth (--network-busbw), or all are one node (--ranks-per-node {})",
        ranks, nodes, ranks_per_node(), ranks);
  }
  if (ranks_per_node() == 1) return "nodes of one GPU: measure two of them";
  return one_node_refusal(ranks_per_node());
}

/// From one measured number of ranks of a node to another.
AllreduceTable::Split AllreduceTable::from_ranks(std::int64_t from, std::int64_t ranks,
                                                 Bytes payload) const {
  const AllreduceCurve& base = *curve(from, 1);
  const BytesPerSecond bus = bus_of(base, from);
  const AllreduceEstimate at_base = base.time(payload);
  Split split{parts_of(at_base.time, from, payload, bus), {}};
  std::string law = fmt::format("excess latency at {:.1f} GB/s bus bandwidth", bus / gbps(1));
  if (around_.fabric == Fabric::nvls && from > 2 && ranks > 2) {
    law = "sums in the switch, whose time does not depend on ranks";
  } else {
    split.parts = change_ranks(split.parts, from, ranks, payload, bus, around_.rank_law);
  }
  split.estimate =
      fitted(split.parts.total(), kRankError,
             fmt::format("from {} ranks ({}) by {}", from, measured_or(at_base.note), law));
  if (around_.fabric == Fabric::nvls && from == 2) {
    split.estimate.low = split.estimate.low / kSwitchSumGain;
    split.estimate.note += "; sums in the switch would take less";
  }
  return split;
}

AllreduceTable::Split AllreduceTable::on_one_node(std::int64_t ranks, Bytes payload) const {
  if (const AllreduceCurve* measured = curve(ranks, 1)) {
    const AllreduceEstimate estimate = measured->time(payload);
    return {parts_of(estimate.time, ranks, payload, bus_of(*measured, ranks)), estimate};
  }
  std::optional<std::int64_t> below, above;
  for (const auto& [place, unused] : curves_) {
    if (place.first != 1) break;
    if (place.second < ranks) below = place.second;
    if (place.second > ranks && !above) above = place.second;
  }
  if (!above) return from_ranks(*below, ranks, payload);
  if (!below) return from_ranks(*above, ranks, payload);
  // Between two: the nearer one's law weighs more.
  const Split low = from_ranks(*below, ranks, payload);
  const Split high = from_ranks(*above, ranks, payload);
  const double share = static_cast<double>(ranks - *below) / static_cast<double>(*above - *below);
  const AllreduceParts parts{low.parts.excess * (1.0 - share) + high.parts.excess * share,
                             low.parts.wire * (1.0 - share) + high.parts.wire * share};
  return {parts, fitted(parts.total(), kRankError,
                        fmt::format("between {} and {} ranks", *below, *above))};
}

AllreduceEstimate AllreduceTable::on_nodes(std::int64_t ranks, std::int64_t nodes,
                                           Bytes payload) const {
  if (const AllreduceCurve* measured = curve(ranks, nodes)) return measured->time(payload);
  std::int64_t from = 1;
  Split base;
  std::optional<BytesPerSecond> bus = around_.network_bus;
  if (const auto below = nodes_below(nodes)) {
    from = *below;
    const std::int64_t base_ranks = from * ranks_per_node();
    const AllreduceCurve& measured = *curve(base_ranks, from);
    const BytesPerSecond base_bus = bus_of(measured, base_ranks);
    base.estimate = measured.time(payload);
    base.parts = parts_of(base.estimate.time, base_ranks, payload, base_bus);
    if (!bus) bus = base_bus;
  } else {
    base = on_one_node(ranks_per_node(), payload);
  }
  const AllreduceParts parts =
      change_nodes(base.parts, from, nodes, ranks, payload, *bus, around_.network_step);
  // Nodes beside one another are not faster than one of them alone.
  const Seconds time = std::max(parts.total(), base.estimate.time);
  return fitted(time, kNetworkError,
                fmt::format("from {} node{} ({}) by {:g} us a hop and {:.1f} GB/s bus bandwidth",
                            from, from == 1 ? "" : "s", measured_or(base.estimate.note),
                            around_.network_step / microseconds(1), *bus / gbps(1)));
}

AllreduceEstimate AllreduceTable::time(std::int64_t ranks, Bytes payload) const {
  if (ranks < 1 || !(payload > Bytes(0)) || !std::isfinite(payload.count())) {
    throw DataError(fmt::format("allreduce: {} ranks and {} bytes; both must be above 0", ranks,
                                payload.count()));
  }
  if (ranks == 1) return {};
  if (const std::string reason = refusal(ranks); !reason.empty()) throw DataError(reason);
  const std::int64_t nodes = nodes_of(ranks);
  return nodes == 1 ? on_one_node(ranks, payload).estimate : on_nodes(ranks, nodes, payload);
}

}  // namespace stepcast
