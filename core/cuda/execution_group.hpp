// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ExecutionGroup: executions of some work between two events, as one CUDA graph, so that their
// launches come from the GPU's own memory and no host is in their time.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#include "core/cuda/libraries.hpp"
#include "core/cuda/work_graph.hpp"

namespace stepcast {

/// Puts execution `number` of the work on a stream, without waiting for the GPU.
using NumberedWork = std::function<void(cudaStream_t, std::int64_t number)>;

class ExecutionGroup {
 public:
  /// `before` goes first, then execution 0, which is not timed, then executions 1 to `executions`
  /// between the events. Runs the group once, which uploads it.
  /// Errors: LibraryError, also for work that cannot be captured.
  ExecutionGroup(const NumberedWork& work, std::int64_t executions,
                 const std::function<void(cudaStream_t)>& before, cudaStream_t stream);

  /// Puts the group on the stream. Errors: LibraryError.
  void launch();

  /// The mean time of an execution in the last launch, in seconds. Errors: LibraryError, also if it
  /// has not ended.
  [[nodiscard]] double seconds() const;

 private:
  cudaStream_t stream_;
  std::int64_t executions_;
  Event start_, stop_;
  GraphExec executable_;
};

}  // namespace stepcast
