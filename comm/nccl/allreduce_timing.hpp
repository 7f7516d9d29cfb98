// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The time of one allreduce over the GPUs of this process, and whether its sum is right.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/nccl/communicators.hpp"
#include "core/dtype.hpp"
#include "core/units.hpp"

namespace stepcast {

struct AllreduceCase {
  DType dtype = DType::fp32;
  std::int64_t payload_bytes = 0;  // a multiple of the element's size
  bool in_place = true;
};

/// allreduce/fp32/28351488/in_place
std::string case_name(const AllreduceCase& one);

struct AllreduceProtocol {
  std::int64_t warmup = 5;
  std::int64_t iterations = 50;
};

/// Over ranks: the mean over iterations of the fastest, of all, of the slowest. median: over
/// iterations, of the slowest rank of each.
struct AllreduceTiming {
  Seconds median, min_rank, mean_rank, max_rank;
  std::int64_t iterations = 0;
  std::int64_t wrong_elements = 0;  // over all ranks
};

/// Operands of one case on every GPU.
class AllreduceBuffers {
 public:
  /// Nothing where a GPU has not the memory, and then `reason` says which and how much.
  /// Errors: LibraryError for any other failure.
  static std::optional<AllreduceBuffers> make(const Communicators& comms, const AllreduceCase& one,
                                              std::string& reason);

  [[nodiscard]] const std::vector<void*>& send() const { return send_; }
  [[nodiscard]] const std::vector<void*>& receive() const { return receive_; }

 private:
  using Memory = UniqueHandle<void*, cudaFree>;
  std::vector<Memory> owned_;
  std::vector<void*> send_;
  std::vector<void*> receive_;
};

/// Warms up, sums once and counts what is wrong, then times twice: the means from a batch between
/// two events on each GPU's stream, the median from events around each iteration. One call that is
/// not timed runs ahead of the first event, so that the host's way to it is not counted.
///
/// In place, each sum is the next one's operand and the values grow; the time does not depend on
/// them. Errors: LibraryError; DataError if the payload is no multiple of the element's size.
AllreduceTiming time_allreduce(Communicators& comms, const AllreduceBuffers& buffers,
                               const AllreduceCase& one, const AllreduceProtocol& protocol);

}  // namespace stepcast
