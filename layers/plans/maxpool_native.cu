// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/maxpool.cuh"

namespace stepcast {

/// One element a thread, as PyTorch's kernels for both layouts do, and its 8-byte indices.
KernelList maxpool_native(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    return maxpool<typename decltype(tag)::type, std::int64_t, 1>(op, buffers);
  });
}

}  // namespace stepcast
