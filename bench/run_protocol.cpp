// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/run_protocol.hpp"

namespace stepcast {

Protocol protocol_of(const BenchOptions& options) {
  const BenchOptions usual;
  Protocol protocol = make_protocol(options.quick);
  protocol.hold = options.hold;
  protocol.verify = options.verify;
  protocol.fixed_samples = options.samples;
  if (options.max_candidates > 0) protocol.search_most = options.max_candidates;
  if (options.flush) protocol.most_sets = 1;
  const bool custom = options.hold != usual.hold || options.verify != usual.verify ||
                      options.samples != usual.samples || options.flush != usual.flush ||
                      options.max_candidates != usual.max_candidates ||
                      options.workspace_mib != usual.workspace_mib;
  if (custom) protocol.name = "custom";
  return protocol;
}

}  // namespace stepcast
