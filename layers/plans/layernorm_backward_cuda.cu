// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/launch.cuh"
#include "layers/plans/layernorm.cuh"
#include "layers/plans/layernorm_gradient.cuh"

namespace stepcast {
namespace {

template <typename T, typename Y, int Width>
KernelList backward(const MatrixShape& s, Buffers b, int multiprocessors) {
  KernelList list;
  const LayerNormGradient operands{b[0],
                                   b[1],
                                   static_cast<const float*>(b[2]),
                                   static_cast<const float*>(b[3]),
                                   static_cast<const float*>(b[4]),
                                   b[5]};
  const auto add = [&]<int Group>(std::integral_constant<int, Group>) {
    using Cut = GradientCut<Y, Width, Group>;
    const unsigned tiles = blocks_for(s.m, Cut::kGroups * Cut::kRows);
    const unsigned blocks = std::min<unsigned>(
        tiles, static_cast<unsigned>(multiprocessors) * (Cut::kThreadsPerSm / Cut::kThreads));
    float* partials = list.zeroed<float>(std::int64_t{2} * blocks * s.n);
    add_kernel(
        list,
        "layernorm_gradient" + choices(type_text<T>, type_text<Y>, Width, Group, kGradientHeld),
        layernorm_gradient_kernel<T, Y, Width, Group>, blocks, Cut::kThreads, operands, partials,
        s.m, s.n);
    add_kernel(list, "sum_partials", sum_partials_kernel, blocks_for(2 * s.n, 32), 32 * kSumWarps,
               static_cast<const float*>(partials), static_cast<float*>(b[6]),
               static_cast<float*>(b[7]), blocks, s.n);
  };
  if (s.n <= 32 * 8) {
    add(std::integral_constant<int, 32>{});
  } else if (Width > 1 && s.n <= 96 * 8) {
    if constexpr (Width > 1) add(std::integral_constant<int, 96>{});  // ViT's rows
  } else if (s.n <= 128 * 8) {
    add(std::integral_constant<int, 128>{});
  } else if (s.n <= 512 * 8) {
    add(std::integral_constant<int, 512>{});
  } else {
    add(std::integral_constant<int, 1024>{});
  }
  return list;
}

}  // namespace

KernelList layernorm_backward_cuda(const Op& op, Buffers b, int multiprocessors) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return with_layernorm_types(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    using Y = typename decltype(out)::type;
    if (s.n % kWidest<T> == 0) return backward<T, Y, kWidest<T>>(s, b, multiprocessors);
    return backward<T, Y, 1>(s, b, multiprocessors);
  });
}

}  // namespace stepcast
