// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the time of an allreduce changes with ranks and machines: what M ranks took beyond their wire
// time is kept, and the wire time is that of N ranks. docs/model.md, "Allreduce", derives the laws;
// `stepcast validate allreduce` judges them on published logs.

#include <cstdint>
#include <string>

#include "comm/estimate.hpp"
#include "core/units.hpp"

namespace stepcast {

/// A time split into what the wire needs at the bus bandwidth of the largest size, and the rest.
struct AllreduceParts {
  Seconds excess;
  Seconds wire;

  [[nodiscard]] Seconds total() const { return excess + wire; }
};

/// GPUs of one machine behind a switch, rings.
struct RankLaw {
  Seconds step;            // what each of the 2 (N-1) steps of a ring adds
  double pair_gain = 1.0;  // bus bandwidth of three ranks or more over that of two
};

/// Fitted to the A100 curves in data/published/nccl_logs; a test holds them to the fit. The step is
/// NCCL's own constant for a ring's step over NVLink with LL128 (src/graph/tuning.cc).
inline constexpr RankLaw kRankLaw{microseconds(1.9), 1.12};

/// One hop more over an InfiniBand network. Source: NCCL 2.21 to 2.30, src/graph/tuning.cc, the
/// network step of Ring and Tree with Simple.
inline constexpr Seconds kNetworkStep = microseconds(14);

/// What the laws' errors against real times are within four times of five, out of sample.
inline constexpr double kSizeError = 0.045;    // between two measured sizes, a factor of two apart
inline constexpr double kRankError = 0.08;     // at another number of ranks of a machine
inline constexpr double kNetworkError = 0.13;  // on another number of machines

/// The split of a time that `ranks` ranks take. A time below the wire's has no excess.
AllreduceParts parts_of(Seconds time, std::int64_t ranks, Bytes payload, BytesPerSecond bus);

/// From `from` ranks of a machine to `to`; `bus` is the bus bandwidth of `from`.
AllreduceParts change_ranks(const AllreduceParts& parts, std::int64_t from, std::int64_t to,
                            Bytes payload, BytesPerSecond bus, const RankLaw& law = kRankLaw);

/// From `from` machines to `to`, `ranks` in all then; `bus` is the bus bandwidth over the network.
AllreduceParts change_nodes(const AllreduceParts& parts, std::int64_t from, std::int64_t to,
                            std::int64_t ranks, Bytes payload, BytesPerSecond bus,
                            Seconds network_step = kNetworkStep);

/// A fitted time; its interval holds the real times from which it would differ by `error` of them.
AllreduceEstimate fitted(Seconds time, double error, std::string note);

}  // namespace stepcast
