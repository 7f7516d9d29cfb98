// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peaks of this GPU, measured in the same run as the ops.

#include <string>
#include <vector>

#include "bench/arena.hpp"
#include "bench/protocol.hpp"
#include "bench/sampler.hpp"
#include "core/cuda/stopwatch.hpp"
#include "core/profile.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

/// What a measured ceiling needs; all outlive the call.
struct CeilingBench {
  const Libraries& libraries;
  Arena& arena;
  Arena& scratch;
  Stopwatch& stopwatch;
  Sampler& sampler;
  HostClock& clock;
  const Protocol& protocol;
  const PlanOptions& plans;
};

/// Warms the device up, then measures its bandwidth in each mix of reads and writes (our kernel; 1
/// to 1 also cudaMemcpyAsync, copy_bandwidth), its matrix rate in fp16, bf16, tf32 and e4m3
/// (8192^3) and fp32 (4096^3) after a rest, and under a second of load (matrix_rate_sustained), and
/// the event floor (two events with nothing between). A rate that the GPU does not support has no
/// row. Errors: LibraryError; HoldTimeout; Throttled.
std::vector<CeilingRow> measure_ceilings(const CeilingBench& bench, const std::string& run);

}  // namespace stepcast
