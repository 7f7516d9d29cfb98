// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Allreduce cases as Google Benchmarks.

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/nccl/allreduce_record.hpp"
#include "comm/nccl/allreduce_timing.hpp"
#include "comm/nccl/communicators.hpp"
#include "comm/nccl/progress_bar.hpp"

namespace benchmark {
class State;
}

namespace stepcast {

/// What the benchmarks of one run share. Communicators are made by the first case that runs.
class CommSession {
 public:
  using MakeCommunicators = std::function<std::unique_ptr<Communicators>()>;

  CommSession(MakeCommunicators make, AllreduceProtocol protocol, AllreduceRecord* record,
              ProgressBar progress);

  /// The body of one benchmark. A library's error ends the run: it is kept, and the cases behind it
  /// are skipped.
  void run(benchmark::State& state, const AllreduceCase& one);

  /// Errors: rethrows the one that ended the run; LibraryError if sums were wrong.
  void finish();

 private:
  void time(benchmark::State& state, const AllreduceCase& one);
  void write(const AllreduceRow& row);

  MakeCommunicators make_;
  AllreduceProtocol protocol_;
  AllreduceRecord* record_;  // null without a profile; outlives the session
  ProgressBar progress_;
  std::unique_ptr<Communicators> comms_;
  std::exception_ptr error_;
  std::size_t wrong_cases_ = 0;
};

/// Registers a benchmark for each case. `session` outlives the run; null is enough for a list of
/// names.
void register_allreduce(const std::vector<AllreduceCase>& cases, const AllreduceProtocol& protocol,
                        CommSession* session);

}  // namespace stepcast
