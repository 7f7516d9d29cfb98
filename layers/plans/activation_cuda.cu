// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/activation.cuh"

namespace stepcast {

KernelList activation_cuda(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Distribution = std::conditional_t<sizeof(T) == 2, FastNormal, ExactNormal>;
    return activation<CudaShape, T, Distribution>(op, buffers);
  });
}

}  // namespace stepcast
