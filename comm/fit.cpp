// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "comm/collective.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

using Curve = std::span<const AllreducePoint>;

std::string size_text(Bytes size) {
  if (size < kib(1)) return fmt::format("{:g} B", size.count());
  if (size < mib(1)) return fmt::format("{:.4g} KiB", size / kib(1));
  return fmt::format("{:.4g} MiB", size / mib(1));
}

bool smaller_payload(const AllreducePoint& a, const AllreducePoint& b) {
  return a.payload < b.payload;
}

/// Points of one rank count.
Curve curve_of(const std::vector<AllreducePoint>& points, std::int64_t ranks) {
  const auto [begin, end] = std::equal_range(
      points.begin(), points.end(), AllreducePoint{ranks, {}, {}},
      [](const AllreducePoint& a, const AllreducePoint& b) { return a.ranks < b.ranks; });
  return {begin, end};
}

/// Time on a curve: at a point, between two, or beyond an end.
AllreduceEstimate time_on(Curve curve, Bytes payload) {
  const auto above =
      std::lower_bound(curve.begin(), curve.end(), AllreducePoint{0, payload, {}}, smaller_payload);
  if (above == curve.end()) {
    const AllreducePoint& last = curve.back();
    return {last.time * (payload / last.payload), Origin::fitted,
            fmt::format("above the largest measured size: the bandwidth of {}",
                        size_text(last.payload))};
  }
  if (above->payload == payload) return {above->time, Origin::measured, ""};
  if (above == curve.begin()) {
    return {
        above->time, Origin::fitted,
        fmt::format("below the smallest measured size: the time of {}", size_text(above->payload))};
  }
  const AllreducePoint& low = *std::prev(above);
  const double share = std::log(payload / low.payload) / std::log(above->payload / low.payload);
  return {low.time * std::pow(above->time / low.time, share), Origin::fitted,
          fmt::format("between {} and {}", size_text(low.payload), size_text(above->payload))};
}

void check_point(const AllreducePoint& point) {
  const double payload = point.payload.count();
  const double time = point.time.count();
  if (point.ranks < 2 || !(payload > 0.0) || !(time > 0.0) || !std::isfinite(payload) ||
      !std::isfinite(time)) {
    throw DataError(fmt::format(
        "allreduce point: {} ranks, {} bytes, {} s; it needs 2 ranks or more, and size and time "
        "above 0",
        point.ranks, payload, time));
  }
}

}  // namespace

AllreduceTable::AllreduceTable(std::vector<AllreducePoint> points) {
  std::for_each(points.begin(), points.end(), check_point);
  std::sort(points.begin(), points.end(), [](const AllreducePoint& a, const AllreducePoint& b) {
    return std::tuple(a.ranks, a.payload.count(), a.time.count()) <
           std::tuple(b.ranks, b.payload.count(), b.time.count());
  });
  for (auto point = points.begin(); point != points.end();) {
    const auto next = std::find_if(point, points.end(), [&point](const AllreducePoint& other) {
      return other.ranks != point->ranks || other.payload != point->payload;
    });
    Seconds sum;
    std::for_each(point, next, [&sum](const AllreducePoint& same) { sum += same.time; });
    points_.push_back(
        {point->ranks, point->payload, sum / static_cast<double>(std::distance(point, next))});
    point = next;
  }
}

AllreduceEstimate AllreduceTable::time(std::int64_t ranks, Bytes payload) const {
  if (ranks < 1 || !(payload > Bytes(0)) || !std::isfinite(payload.count())) {
    throw DataError(fmt::format("allreduce: {} ranks and {} bytes; both must be above 0", ranks,
                                payload.count()));
  }
  if (ranks == 1) return {};
  if (empty()) {
    throw DataError(
        fmt::format("allreduce: no measurement to take the time of {} over {} ranks from",
                    size_text(payload), ranks));
  }
  if (const Curve curve = curve_of(points_, ranks); !curve.empty()) return time_on(curve, payload);

  // The largest measured count below, else the smallest above.
  std::int64_t from = points_.front().ranks;
  for (const AllreducePoint& point : points_) {
    if (point.ranks < ranks) from = point.ranks;
  }
  const Curve curve = curve_of(points_, from);
  const AllreducePoint& largest = curve.back();
  const BytesPerSecond bus = bus_bandwidth(from, largest.payload, largest.time);
  const AllreduceEstimate base = time_on(curve, payload);
  // A size that ran above B has no excess latency, not a negative one.
  const Seconds excess = std::max(base.time - wire_bytes(from, payload) / bus, Seconds(0));
  return {excess + wire_bytes(ranks, payload) / bus, Origin::fitted,
          fmt::format("from {} ranks ({}) by excess latency at {:.1f} GB/s bus bandwidth", from,
                      base.note.empty() ? "measured" : base.note, bus / gbps(1))};
}

}  // namespace stepcast
