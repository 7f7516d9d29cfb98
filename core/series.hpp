// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Series: samples that a stopwatch took in one go.

#include <cstdint>
#include <vector>

namespace stepcast {

struct Series {
  std::vector<double> seconds;  // one a sample
  double sm_clock_mhz = 0;      // while sampling; 0 where the series was too short to tell
  bool hold_timed_out = false;  // the samples then contain the host's gaps
  bool by_graph = false;        // launched as a CUDA graph, not one by one on a stream
  std::int64_t executions = 1;  // of which a sample is the mean
  std::int64_t places = 1;      // in memory, between which the samples alternate
};

}  // namespace stepcast
