// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// GpuSubject: a workload under the stopwatch, as the measuring loop sees it.

#include <cstdint>
#include <set>
#include <utility>

#include "bench/arena.hpp"
#include "bench/protocol.hpp"
#include "bench/subject.hpp"
#include "bench/workload.hpp"
#include "core/cuda/stopwatch.hpp"

namespace stepcast {

class GpuSubject final : public Subject {
 public:
  /// All outlive this. `scratch`: for what verification needs beside the operands. Where the
  /// workload has several sets of operands, cold samples go round them; else each is taken behind a
  /// flush.
  /// A workload of several ops has one candidate: the plans as they are selected. `lethal`: ranks
  /// that cannot be selected, since an earlier process lost the GPU to them.
  GpuSubject(Workload& workload, Stopwatch& stopwatch, Arena& scratch, const Protocol& protocol,
             std::set<std::int64_t> lethal = {})
      : workload_(workload),
        stopwatch_(stopwatch),
        scratch_(scratch),
        protocol_(protocol),
        lethal_(std::move(lethal)) {}

  [[nodiscard]] std::size_t candidates() const override;
  bool select(std::size_t rank) override;
  [[nodiscard]] std::size_t selected() const override;
  [[nodiscard]] PlanFacts facts() const override;
  void warm_up(std::int64_t times) override;
  Seconds estimate() override;
  Series cold(std::int64_t samples, Seconds one, Seconds group_time) override;
  Series hot(std::int64_t groups, std::int64_t executions) override;
  Verdict verify() override;
  KernelFacts kernels() override;
  void recover() override;

 private:
  [[nodiscard]] bool is_block() const { return workload_.plans.size() > 1; }
  /// Results poisoned with NaN, and what is updated in place as it was at first.
  void reset(const PlacedOperands& placed);
  /// What the operands that are updated in place held before; null for the others.
  std::vector<void*> initial(const PlacedOperands& placed);
  [[nodiscard]] Work work();
  Verdict compare();
  Series by_rotation(std::int64_t samples, Seconds one, Seconds group_time);

  Workload& workload_;
  Stopwatch& stopwatch_;
  Arena& scratch_;
  const Protocol& protocol_;
  std::set<std::int64_t> lethal_;
  /// How the selected candidate's cold samples are taken: by the stream where it is not capturable.
  enum class Way { unknown, by_rotation, by_stream };
  Way way_ = Way::unknown;
  Seconds warm_;  // of an execution in the last warm-up, with the host's gaps
};

/// The host's steady clock.
class SteadyClock final : public HostClock {
 public:
  [[nodiscard]] Seconds now() override;
  void sleep(Seconds time) override;
};

}  // namespace stepcast
