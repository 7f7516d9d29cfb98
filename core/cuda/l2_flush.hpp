// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// L2Flush: a write or a read that leaves nothing of an op's operands in the device's L2 cache.

#include <cuda_runtime_api.h>

#include "core/cuda/device_buffer.hpp"
#include "core/units.hpp"

namespace stepcast {

class L2Flush {
 public:
  /// Writes or reads `size` at each flush; zero flushes nothing. Errors: LibraryError.
  explicit L2Flush(Bytes size, SourceLocation where = SourceLocation::current());

  /// Writes: the cache is then full of lines that have yet to go to memory. Errors: LibraryError.
  void enqueue(cudaStream_t stream);

  /// Reads: what was written before goes to memory, and the cache is then full of clean lines.
  /// Errors: LibraryError.
  void enqueue_read(cudaStream_t stream);

  [[nodiscard]] Bytes size() const { return Bytes(static_cast<double>(buffer_.bytes())); }

 private:
  DeviceBuffer<unsigned char> buffer_;
};

/// The L2 cache that the device's attributes name.
Bytes l2_bytes(const cudaDeviceProp& device);

}  // namespace stepcast
