// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One NCCL communicator and one stream for each GPU of this process.

#include <nccl.h>

#include <string_view>
#include <vector>

#include "core/cuda/libraries.hpp"
#include "core/dtype.hpp"
#include "core/units.hpp"

namespace stepcast {

using NcclComm = UniqueHandle<ncclComm_t, ncclCommDestroy>;

/// One GPU's part. The communicator goes before its stream.
struct Rank {
  int device = 0;
  Stream stream;
  NcclComm comm;
};

class Communicators {
 public:
  /// Errors: LibraryError (also for a device that is not there), UsageError for no device.
  Communicators(const std::vector<int>& devices, Seconds timeout);

  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }

  /// Enqueues one sum over all ranks, as one group; send[i] and receive[i] are rank i's.
  /// Errors: LibraryError.
  void allreduce(const std::vector<void*>& send, const std::vector<void*>& receive,
                 std::size_t count, DType dtype) const;

  /// Waits until every stream is empty, and watches NCCL's asynchronous errors meanwhile.
  /// Errors: LibraryError for these and after the time-out, which names the devices that did not
  /// end. The communicators are aborted then, and every later call is refused.
  void wait(std::string_view doing);

 private:
  void abort();
  void watch(std::string_view doing);
  [[noreturn]] void time_out(std::string_view doing);

  std::vector<Rank> ranks_;
  Seconds timeout_;
};

/// NCCL's name of a type. Errors: DataError for one that gradients do not have.
ncclDataType_t nccl_type(DType dtype);

}  // namespace stepcast
