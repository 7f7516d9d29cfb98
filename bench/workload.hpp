// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workload: ops made ready to run, with filled operands and a plan each.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/arena.hpp"
#include "core/profile.hpp"
#include "layers/op.hpp"
#include "layers/operands.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

/// An op with its operands' memory and the seeds of their data.
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

  /// Puts all plans' work on the stream, in order. Errors: LibraryError.
  void enqueue(cudaStream_t stream);
};

/// apart: each op has operands of its own. chained: an op's inputs are the latest results of the
/// ops before it that have their type and size, as in a step.
enum class Dataflow { apart, chained };

/// Gives each op its operands in the arena, fills what it reads with seeded random data, makes its
/// plan, and lets the plan derive what the forward pass would have left behind. What the machine
/// cannot do is the workload's status; a workload is valid until the arena is used again.
/// Errors: LibraryError.
Workload make_workload(const Libraries& libraries, Arena& arena, std::span<const Op> ops,
                       const PlanOptions& options, std::uint64_t seed, cudaStream_t stream,
                       Dataflow dataflow = Dataflow::apart);

/// Fills memory as the operand says. Errors: LibraryError.
void fill_operand(const Operand& operand, void* memory, std::uint64_t seed, cudaStream_t stream);

}  // namespace stepcast
