// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ops, timed one after the other, into rows on the disk.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bench/measurement.hpp"
#include "bench/progress.hpp"
#include "bench/recorded.hpp"
#include "core/csv.hpp"
#include "core/profile.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// How many ops came to each status.
class StatusCount {
 public:
  void add(RowStatus status) { ++counts_.at(static_cast<std::size_t>(status)); }
  [[nodiscard]] std::string text() const;

 private:
  std::array<std::int64_t, 4> counts_{};
};

/// What times an op, and what says that the run should end after the op in hand.
struct OpSource {
  std::function<const Measurement&(const Op&)> measure;
  std::function<bool()> interrupted;
};

/// Times the ops in order. Each op's rows are written and flushed before the next one begins; those
/// that `recorded` holds are not written again.
/// Errors: DataError where the file cannot be written; DeviceLost, after the rows of the op that it
/// was lost to; those of source.measure.
StatusCount time_ops(std::span<const Op> ops, const OpSource& source, const Recorded& recorded,
                     const std::string& run, CsvWriter& out, Progress& progress);

}  // namespace stepcast
