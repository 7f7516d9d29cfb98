// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Allreduce time over payload, for one number of ranks: measured payloads keep their times, and
// between them time rises with the payload.

#include <vector>

#include "comm/estimate.hpp"
#include "core/units.hpp"

namespace stepcast {

/// "512 B", "25 MiB".
std::string payload_text(Bytes payload);

class AllreduceCurve {
 public:
  struct Point {
    Bytes payload;
    Seconds time;
  };

  /// Points of one payload are averaged. Where a larger payload took less time than a smaller one,
  /// both count with their geometric mean between the points (isotonic regression of the
  /// logarithms).
  /// Errors: DataError without points.
  explicit AllreduceCurve(std::vector<Point> points);

  /// A measured payload: its time. Between two: linear in log(payload), log(time). Above the
  /// largest: its bandwidth. Below the smallest: its time.
  [[nodiscard]] AllreduceEstimate time(Bytes payload) const;

  [[nodiscard]] const Point& largest() const { return points_.back(); }

 private:
  std::vector<Point> points_;    // by payload
  std::vector<Seconds> rising_;  // of the points, times that never fall
};

}  // namespace stepcast
