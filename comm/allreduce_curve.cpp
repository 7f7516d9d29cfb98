// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/allreduce_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "comm/allreduce_law.hpp"
#include "core/error.hpp"

namespace stepcast {

namespace {

using Point = AllreduceCurve::Point;

/// Error between points that are far apart; the points themselves bound the time further.
constexpr double kWidest = 0.5;

std::vector<Point> averaged(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.payload < b.payload; });
  std::vector<Point> distinct;
  for (auto point = points.begin(); point != points.end();) {
    const auto next = std::find_if(
        point, points.end(), [&point](const Point& p) { return p.payload != point->payload; });
    Seconds sum;
    std::for_each(point, next, [&sum](const Point& same) { sum += same.time; });
    distinct.push_back({point->payload, sum / static_cast<double>(std::distance(point, next))});
    point = next;
  }
  return distinct;
}

/// The points' times; neighbours that fall are pooled until none do.
std::vector<Seconds> rising(const std::vector<Point>& points) {
  struct Pool {
    double log_sum;
    std::size_t count;
    [[nodiscard]] double mean() const { return log_sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  pools.reserve(points.size());
  for (const Point& point : points) {
    pools.push_back({std::log(point.time.count()), 1});
    while (pools.size() > 1 && pools.back().mean() < std::prev(pools.end(), 2)->mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().log_sum += last.log_sum;
      pools.back().count += last.count;
    }
  }
  std::vector<Seconds> times;
  times.reserve(points.size());
  for (const Pool& pool : pools) {
    const bool alone = pool.count == 1;  // its time to the last digit
    const Seconds time = alone ? points[times.size()].time : Seconds(std::exp(pool.mean()));
    times.insert(times.end(), pool.count, time);
  }
  return times;
}

}  // namespace

std::string payload_text(Bytes payload) {
  if (payload < kib(1)) return fmt::format("{:g} B", payload.count());
  if (payload < mib(1)) return fmt::format("{:.4g} KiB", payload / kib(1));
  return fmt::format("{:.4g} MiB", payload / mib(1));
}

AllreduceCurve::AllreduceCurve(std::vector<Point> points) : points_(averaged(std::move(points))) {
  if (points_.empty()) throw DataError("allreduce: a curve needs a point");
  rising_ = rising(points_);
}

AllreduceEstimate AllreduceCurve::time(Bytes payload) const {
  const auto above =
      std::lower_bound(points_.begin(), points_.end(), payload,
                       [](const Point& point, Bytes sought) { return point.payload < sought; });
  if (above == points_.end()) {
    return fitted(largest().time * (payload / largest().payload), kSizeError,
                  fmt::format("above the largest measured size: the bandwidth of {}",
                              payload_text(largest().payload)));
  }
  if (above->payload == payload) {
    return {above->time, above->time, above->time, Origin::measured, ""};
  }
  if (above == points_.begin()) {
    return fitted(rising_.front(), kSizeError,
                  fmt::format("below the smallest measured size: the time of {}",
                              payload_text(above->payload)));
  }
  const Point& below = *std::prev(above);
  const auto index = static_cast<std::size_t>(std::distance(points_.begin(), above));
  const Seconds low = rising_[index - 1];
  const Seconds high = rising_[index];
  const double gap = std::log2(above->payload / below.payload);
  const double share = std::log2(payload / below.payload) / gap;
  AllreduceEstimate estimate = fitted(
      low * std::pow(high / low, share), std::min(kSizeError * std::max(gap, 1.0), kWidest),
      fmt::format("between {} and {}", payload_text(below.payload), payload_text(above->payload)));
  estimate.low = std::max(estimate.low, low);
  estimate.high = std::min(estimate.high, high);
  return estimate;
}

}  // namespace stepcast
