// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan: how the GPU executes one op on given memory. Made before the clock starts; outlives it.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/libraries.hpp"
#include "layers/op.hpp"

namespace stepcast {

class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;

  /// Kernel, engine or algorithm, as the library names it.
  [[nodiscard]] virtual std::string name() const = 0;

  /// What the library says of how the selected candidate computes, as in library_notes.hpp; empty
  /// where it says nothing.
  [[nodiscard]] virtual std::string notes() const { return ""; }

  /// Device memory that execution on one set of buffers needs beside them; owned by the plan.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }

  /// Lets enqueue() and prepare() work on these buffers from now on: as many, as large and as
  /// aligned as those of make_plan(), and prepared for themselves. Cheap where the same buffers
  /// were bound before, and then allowed while the stream is being captured; the first time it may
  /// allocate what the plan keeps for each set of buffers. `place`, from 0, counts where in memory
  /// the buffers lie; a library's workspace is there once for each.
  /// Errors: LibraryError.
  virtual void bind(std::span<void* const> buffers, std::size_t place) = 0;

  /// Fills the operands of Role::derived from the inputs. Not timed.
  virtual void prepare(cudaStream_t) {}

  /// Puts the op's work on the stream and returns. Errors: LibraryError.
  virtual void enqueue(cudaStream_t stream) = 0;

  /// Candidates that the library offered, heuristic's order; 1 for our own kernels.
  [[nodiscard]] virtual std::size_t candidates() const { return 1; }

  /// Makes candidate `rank` the one that enqueue() runs; false if it cannot be built or needs more
  /// than the workspace limit.
  virtual bool select(std::size_t rank) { return rank == 0; }

  /// Rank of the candidate that enqueue() runs.
  [[nodiscard]] virtual std::size_t selected() const { return 0; }
};

/// A plan, or why this machine has none: the library's own reason.
struct PlanOrReason {
  std::unique_ptr<Plan> plan;
  std::string reason;  // not empty exactly where plan is null
};

struct PlanOptions {
  std::size_t workspace_limit_bytes = std::size_t{1} << 30;
  std::size_t max_candidates = 16;
};

/// The plan for an op on `buffers`: device memory of operands(op), in that order, each aligned to
/// 256 bytes. Finds the family's maker by provider (layers/plans/make_plan.cpp).
/// Errors: LibraryError for what is not a matter of support (a lost device, memory).
PlanOrReason make_plan(const Libraries& libraries, const Op& op, std::span<void* const> buffers,
                       const PlanOptions& options = {});

}  // namespace stepcast
