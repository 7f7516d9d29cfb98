// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time of an allreduce at any size and rank count from a measured table: measured where the table
// has the point, else fitted, and says which.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace stepcast {

/// One measured point: ranks on one node, payload a rank, time of the slowest rank.
struct AllreducePoint {
  std::int64_t ranks = 2;
  Bytes payload;
  Seconds time;
};

enum class Origin { measured, fitted, projected, bound };

struct AllreduceEstimate {
  Seconds time;
  Origin origin = Origin::measured;
  std::string note;  // how it was fitted and from which range; empty where measured
};

class AllreduceTable {
 public:
  /// Errors: DataError for non-positive payload, time or ranks below 2.
  explicit AllreduceTable(std::vector<AllreducePoint> points);

  [[nodiscard]] bool empty() const { return points_.empty(); }

  /// Time of one allreduce. ranks == 1 costs nothing (no communication). A payload between two
  /// measured ones is interpolated in log(payload), log(time): fitted. Above the largest: its
  /// bandwidth, fitted. Below the smallest: the smallest's time, fitted. Rank counts that were not
  /// measured are extrapolated from the largest measured count below it (else the smallest above)
  /// by excess latency
  ///   T_N(S) = [T_M(S) - S F_M / B] + S F_N / B,  F_N = 2(N-1)/N,
  /// B the bus bandwidth at the largest measured payload; fitted.
  /// Errors: DataError if the table is empty and ranks > 1 (names ranks and payload).
  /// Source: docs/model.md, "Allreduce".
  [[nodiscard]] AllreduceEstimate time(std::int64_t ranks, Bytes payload) const;

 private:
  std::vector<AllreducePoint> points_;  // by ranks, then payload
};

}  // namespace stepcast
