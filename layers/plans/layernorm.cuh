// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What layer norm's kernels of both providers share.

#include "layers/plans/kernel_list.hpp"
#include "layers/plans/launch.cuh"

namespace stepcast {

inline constexpr float kLayerNormEpsilon = 1e-6F;  // torchvision's ViT
inline constexpr int kLayerNormMaxColumns = 8192;

/// Calls use(TypeTag<T>, TypeTag<Y>) where both types agree or one is fp32.
template <typename Use>
KernelList with_layernorm_types(const Op& op, Use use) {
  return with_real(op.in, refuse_types(op), [&](auto in) {
    return with_real(op.out, refuse_types(op), [&](auto out) {
      using T = typename decltype(in)::type;
      using Y = typename decltype(out)::type;
      if constexpr (std::is_same_v<T, Y> || std::is_same_v<T, float> || std::is_same_v<Y, float>) {
        return use(in, out);
      } else {
        return refuse_types(op);
      }
    });
  });
}

KernelList layernorm_backward_cuda(const Op& op, Buffers buffers, int multiprocessors);

}  // namespace stepcast
