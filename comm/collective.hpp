// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bytes and rates of an allreduce. Payload is what a rank holds, wire bytes what it sends.

#include <cstdint>

#include "core/units.hpp"

namespace stepcast {

/// 2 (N-1) / N: what a rank sends in a ring allreduce, over its payload. 0 for one rank.
/// Errors: DataError for ranks below 1.
/// Source: docs/model.md, "Allreduce"; nccl-tests, doc/PERFORMANCE.md.
double bus_factor(std::int64_t ranks);

/// What each rank sends in a ring allreduce.
Bytes wire_bytes(std::int64_t ranks, Bytes payload);

/// Payload over time. Errors: DataError if the time is not positive.
BytesPerSecond algorithm_bandwidth(Bytes payload, Seconds time);

/// Algorithm bandwidth times bus factor: the rate of each link, were the algorithm a ring. With
/// in-switch reduction it is ring-equivalent only, and may exceed the link's rate.
BytesPerSecond bus_bandwidth(std::int64_t ranks, Bytes payload, Seconds time);

}  // namespace stepcast
