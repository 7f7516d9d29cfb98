// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options that say what stands around the GPUs: their links, machines, network.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "comm/fit.hpp"

namespace stepcast {

struct AroundOptions {
  std::string fabric = "unknown";
  std::string topology;             // file; empty: none
  std::int64_t ranks_per_node = 0;  // 0: as measured, else 8
  double network_busbw_gbps = 0;    // 0: not given
  double network_hop_us = kNetworkStep / microseconds(1);
};

void add_around_options(CLI::App& parser, AroundOptions& options);

/// Errors: UsageError for a fabric that is none, or a topology beside it; DataError as
/// read_topology() has it.
Surroundings around_of(const AroundOptions& options);

}  // namespace stepcast
