// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stopwatch: times work with events: one by one on a stream behind a hold, each after a flush of
// the L2 cache, or back to back in groups. docs/measuring.md says what a time includes.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/cuda/execution_group.hpp"
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
  double pause = 2.0;               // after a group of executions, over the time that it took
  std::int64_t graph_nodes = 2000;  // at most, of a group as a CUDA graph
};

/// Puts work on a stream and returns, without waiting for the GPU.
using Work = std::function<void(cudaStream_t)>;

class Stopwatch {
 public:
  /// Runs each of its own kernels once, so that none is loaded behind a hold.
  /// Errors: LibraryError.
  explicit Stopwatch(const StopwatchOptions& options);

  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  /// Runs the work un-held and waits for it: kernels are loaded here, never behind a hold. Gives
  /// the time of the fastest run, which holds the host's gaps; infinite for none.
  /// Errors: LibraryError, also for what the work did asynchronously.
  Seconds warm_up(const Work& work, std::int64_t times = 1);

  /// `samples` times of one execution, each after a flush. `launches`: kernels that the work puts
  /// on the stream, which decides how many samples one hold covers. Warm the work up first. Errors:
  /// LibraryError.
  Series cold(const Work& work, std::int64_t samples, std::int64_t launches);

  /// `groups` times of one execution, each the mean of `executions` that are launched as one CUDA
  /// graph behind one that is not timed, and behind a reading flush if asked. Groups take turns
  /// with the works, which are the same in several places in memory. Errors: LibraryError, also for
  /// work that cannot be captured.
  Series grouped(std::span<const NumberedWork> works, std::int64_t groups, std::int64_t executions,
                 bool flush = false);

  /// As grouped(), each work the same time after time; work that cannot be captured is launched on
  /// the stream behind a hold, in the first place alone, and Series::by_graph says so. Fewer
  /// executions where they would be too many nodes, or more than a hold covers.
  /// Errors: LibraryError.
  Series hot(std::span<const Work> works, std::int64_t groups, std::int64_t executions,
             std::int64_t launches);

 private:
  struct EventPair {
    Event start, stop;
  };

  Series hot_by_stream(const Work& work, std::int64_t groups, std::int64_t executions,
                       std::int64_t launches);
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
