// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workload: ops made ready to run, with sets of filled operands and a plan each.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/arena.hpp"
#include "bench/protocol.hpp"
#include "bench/rotation.hpp"
#include "core/profile.hpp"
#include "layers/op.hpp"
#include "layers/operands.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

/// An op with the memory of its first set of operands and the seeds of their data.
struct PlacedOperands {
  Op op;
  std::vector<Operand> operands;
  std::vector<void*> memory;
  std::vector<std::uint64_t> seeds;
};

struct Workload {
  RowStatus status = RowStatus::ok;
  std::string reason;  // empty where status is ok
  std::vector<PlacedOperands> places;
  std::vector<std::unique_ptr<Plan>> plans;
  std::int64_t launches = 0;  // kernels that one execution puts on the stream
  Rotation rotation;

  /// Puts all plans' work on the stream, in order, on the set's operands. Errors: LibraryError.
  void enqueue(cudaStream_t stream, std::int64_t set = 0);

 private:
  friend class WorkloadMaker;

  void bind(std::int64_t set);

  using Memory = std::vector<std::vector<void*>>;  // by op, then operand
  std::vector<Memory> sets_;
  std::int64_t bound_ = 0;
};

/// apart: each op has operands of its own. chained: an op's inputs are the latest results of the
/// ops before it that have their type and size, as in a step.
enum class Dataflow { apart, chained };

struct WorkloadOptions {
  PlanOptions plans;
  std::uint64_t seed = 0;
  Bytes flush;                 // that the sets of operands beside the one in use should hold
  std::int64_t most_sets = 1;  // of operands
  double most_memory = 0.5;    // of the device's, for all sets
  Dataflow dataflow = Dataflow::apart;
};

/// As the protocol wants them on this device.
WorkloadOptions workload_options(const Protocol& protocol, const PlanOptions& plans,
                                 const cudaDeviceProp& device);

/// Gives each op its operands in the arena, fills what it reads with seeded random data, makes its
/// plan, and lets the plan derive what the forward pass would have left behind. Further sets of
/// operands are copies of the first; there is one set where two would take half of the device's
/// memory. What
/// the machine cannot do is the workload's status; a workload is valid until the arena is used
/// again.
/// Errors: LibraryError.
Workload make_workload(const Libraries& libraries, Arena& arena, std::span<const Op> ops,
                       const WorkloadOptions& options, cudaStream_t stream);

/// Fills memory as the operand says. Errors: LibraryError.
void fill_operand(const Operand& operand, void* memory, std::uint64_t seed, cudaStream_t stream);

}  // namespace stepcast
