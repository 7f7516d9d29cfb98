// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/commands/around_options.hpp"

#include <fmt/format.h>

#include "comm/fabric.hpp"
#include "core/error.hpp"
#include "core/value_checks.hpp"

namespace stepcast {

void add_around_options(CLI::App& parser, AroundOptions& options) {
  parser
      .add_option("--fabric", options.fabric,
                  "links of a machine's GPUs: nvswitch, nvls (sums in the switch), mesh, pcie")
      ->check(not_empty())
      ->type_name("NAME");
  parser.add_option("--topology", options.topology, "or what 'nvidia-smi topo -m' printed there")
      ->check(not_empty())
      ->type_name("FILE");
  parser
      .add_option("--ranks-per-node", options.ranks_per_node,
                  "GPUs of a machine [as measured over machines, else 8]")
      ->check(positive_whole())
      ->type_name("N");
  parser
      .add_option("--network-busbw", options.network_busbw_gbps,
                  "bus bandwidth of a large allreduce over machines, GB/s [measured]")
      ->check(positive_number())
      ->type_name("GBPS");
  parser
      .add_option("--network-hop", options.network_hop_us,
                  "what each doubling of machines adds twice, us")
      ->check(positive_number())
      ->capture_default_str()
      ->type_name("US");
}

Surroundings around_of(const AroundOptions& options) {
  Surroundings around;
  const auto fabric = enum_value(kFabricNames, options.fabric);
  if (!fabric) {
    throw UsageError(
        fmt::format("--fabric: '{}' is none of nvswitch, nvls, mesh, pcie", options.fabric));
  }
  around.fabric = *fabric;
  if (!options.topology.empty()) {
    if (around.fabric != Fabric::unknown) {
      throw UsageError("--topology: --fabric states the links already; give one of them");
    }
    around.fabric = read_topology(options.topology);
  }
  if (options.ranks_per_node > 0) around.ranks_per_node = options.ranks_per_node;
  if (options.network_busbw_gbps > 0) around.network_bus = gbps(options.network_busbw_gbps);
  around.network_step = microseconds(options.network_hop_us);
  return around;
}

}  // namespace stepcast
