// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/maxpool.cuh"

namespace stepcast {

KernelList maxpool_cuda(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  const auto& s = std::get<PoolShape>(op.shape);
  if (op.in != op.out) return refuse_types(op);
  if (s.r > 15) return refusal("a window above 15 x 15 has places that uint8 does not count");
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (op.layout == Layout::nhwc && s.c % kWidest<T> == 0) {
      return maxpool<T, std::uint8_t, kWidest<T>>(op, buffers);
    }
    return maxpool<T, std::uint8_t, 1>(op, buffers);
  });
}

}  // namespace stepcast
