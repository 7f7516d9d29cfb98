// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stopwatch: times work on a stream with events behind a hold, cold (L2 flushed before each sample)
// or hot (back to back). docs/measuring.md says what a time includes.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/cuda/hold.hpp"
#include "core/cuda/l2_flush.hpp"
#include "core/cuda/libraries.hpp"
#include "core/cuda/sm_clock.hpp"
#include "core/series.hpp"
#include "core/units.hpp"

namespace stepcast {

struct StopwatchOptions {
  bool hold = true;                         // off under a profiler, which serialises launches
  Seconds hold_timeout = Seconds(2.0);      // after which a hold ends by itself
  Bytes flush;                              // written before each cold sample
  std::int64_t launches_behind_hold = 500;  // well below the 1024 that a stream's queue takes
};

/// Puts work on a stream and returns, without waiting for the GPU.
using Work = std::function<void(cudaStream_t)>;

class Stopwatch {
 public:
  /// Runs each of its own kernels once, so that none is loaded behind a hold.
  /// Errors: LibraryError.
  explicit Stopwatch(const StopwatchOptions& options);

  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  /// Runs the work un-held and waits for it: kernels are loaded here, never behind a hold.
  /// Errors: LibraryError, also for what the work did asynchronously.
  void warm_up(const Work& work, std::int64_t times = 1);

  /// `samples` times of one execution, each after a flush. `launches`: kernels that the work puts
  /// on the stream, which decides how many samples one hold covers. Warm the work up first. Errors:
  /// LibraryError.
  Series cold(const Work& work, std::int64_t samples, std::int64_t launches);

  /// `groups` times of one execution, each the mean of `executions` between one pair of events; an
  /// execution that is not timed goes before. The executions are launched as one CUDA graph, whose
  /// launches come from the GPU's own memory; work that cannot be captured is launched on the
  /// stream behind a hold, and Series::by_graph says so. Fewer executions where they would be too
  /// many nodes, or more than a hold covers.
  /// Errors: LibraryError.
  Series hot(const Work& work, std::int64_t groups, std::int64_t executions, std::int64_t launches);

 private:
  struct EventPair {
    Event start, stop;
  };

  Series hot_by_graph(const Work& work, std::int64_t groups, std::int64_t executions,
                      std::int64_t launches);
  Series hot_by_stream(const Work& work, std::int64_t groups, std::int64_t executions,
                       std::int64_t launches);
  /// Adds the time between two events over `executions`.
  static void add(Series& series, const EventPair& pair, std::int64_t executions);

  /// Runs `enqueue` for `samples` pairs of events behind one hold, and reads the times.
  void held(std::int64_t samples, bool hold, const std::function<void(const EventPair&)>& enqueue,
            Series& series);

  StopwatchOptions options_;
  Stream stream_;
  Hold hold_;
  L2Flush flush_;
  SmClock clock_;
  std::vector<EventPair> events_;
  Event before_;  // recorded before each cold sample
};

}  // namespace stepcast
