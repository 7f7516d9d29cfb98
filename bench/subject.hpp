// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Subject: what the measuring loop times, without a word of CUDA. On a GPU it is an op's or a
// block's plans (gpu_subject.hpp); in tests it is a fake with a clock of its own.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/series.hpp"
#include "core/units.hpp"
#include "layers/verify/verdict.hpp"

namespace stepcast {

/// The selected candidate.
struct PlanFacts {
  std::string plan;   // kernel, engine or algorithm as the library names it
  std::string notes;  // what the library says of it
  std::int64_t workspace_bytes = 0;
};

/// The kernels that one execution launches.
struct KernelFacts {
  std::int64_t kernels = 0;     // 0 where they could not be listed
  double conversion_share = 0;  // of the time: hidden layout conversions
};

class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  /// Candidates in the heuristic's order, and which is selected. False: cannot be built.
  [[nodiscard]] virtual std::size_t candidates() const { return 1; }
  virtual bool select(std::size_t rank) { return rank == 0; }
  [[nodiscard]] virtual std::size_t selected() const { return 0; }
  [[nodiscard]] virtual PlanFacts facts() const = 0;

  /// Executes un-held and waits. Errors: LibraryError.
  virtual void warm_up(std::int64_t times) = 0;

  /// About what one cold execution takes, for sizing groups; warm up first. Errors: LibraryError.
  virtual Seconds estimate() = 0;

  /// Samples of executions none of whose operands is in the L2 cache. A sample that is the mean of
  /// several takes about `group_time`, if `one` execution takes that long. Errors: LibraryError.
  virtual Series cold(std::int64_t samples, Seconds one, Seconds group_time) = 0;
  /// Groups of executions back to back; a sample is the time of one. Errors: LibraryError.
  virtual Series hot(std::int64_t groups, std::int64_t executions) = 0;

  /// Executes the selected candidate once on fresh data and compares all that it writes with a
  /// reference. Errors: LibraryError.
  virtual Verdict verify() = 0;

  /// Lists the selected candidate's kernels. Errors: LibraryError.
  virtual KernelFacts kernels() = 0;

  /// Lets the device come back after a candidate that failed. Errors: DeviceLost if it cannot.
  virtual void recover() = 0;
};

/// The host's time, which a test can make up.
class HostClock {
 public:
  HostClock() = default;
  HostClock(const HostClock&) = delete;
  HostClock& operator=(const HostClock&) = delete;
  virtual ~HostClock() = default;

  /// Since any fixed moment.
  [[nodiscard]] virtual Seconds now() = 0;
  virtual void sleep(Seconds time) = 0;
};

}  // namespace stepcast
