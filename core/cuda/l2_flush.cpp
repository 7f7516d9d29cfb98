// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/l2_flush.hpp"

#include "core/cuda/check.hpp"

namespace stepcast {

L2Flush::L2Flush(Bytes size, SourceLocation where)
    : buffer_(static_cast<std::size_t>(size.count()), where) {}

void L2Flush::enqueue(cudaStream_t stream) {
  if (buffer_.size() == 0) return;
  check(cudaMemsetAsync(buffer_.data(), 0, buffer_.bytes(), stream), "flushing the L2 cache");
}

Bytes l2_bytes(const cudaDeviceProp& device) {
  return Bytes(static_cast<double>(device.l2CacheSize));
}

}  // namespace stepcast
