// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/activation.cuh"

namespace stepcast {

KernelList activation_native(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    return activation<NativeShape, typename decltype(tag)::type, ExactNormal>(op, buffers);
  });
}

}  // namespace stepcast
