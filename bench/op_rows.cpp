// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/op_rows.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace stepcast {

std::string StatusCount::text() const {
  std::string text =
      fmt::format("{} timed, {} unsupported, {} failed", counts_[0], counts_[1], counts_[2]);
  if (counts_[3] > 0) text += fmt::format(", {} throttled", counts_[3]);
  return text;
}

StatusCount time_ops(std::span<const Op> ops, const OpSource& source, const Recorded& recorded,
                     const std::string& run, CsvWriter& out, Progress& progress) {
  StatusCount count;
  for (std::size_t i = 0; i < ops.size() && !source.interrupted(); ++i) {
    progress.show(i, key(ops[i]));
    const Measurement& measured = source.measure(ops[i]);
    count.add(measured.status);
    for (const OpRow& row : rows(measured, ops[i], run)) {
      if (!recorded.contains(row)) out.write(cells(row));
    }
    if (measured.device_lost) throw DeviceLost(key(ops[i]) + ": " + measured.reason);
  }
  return count;
}

}  // namespace stepcast
