// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/avgpool.cuh"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/strided.cuh"

namespace stepcast {
namespace {

/// PyTorch divides a gradient that is expanded without a copy, hence reads it with strides.
template <typename T, typename Index>
struct SpreadElement {
  T* dx;
  const T* dy;
  FastDiv<Index> outer;  // elements that share an image (nhwc) or a gradient (nchw)
  FastDiv<Index> inner;  // channels in nhwc, 1 in nchw
  float plane;

  __device__ void operator()(Index i) const {
    Index channel = i;
    inner.divide(channel);
    dx[i] = from_float<T>(to_float(dy[outer.quotient(i) * inner.divisor() + channel]) / plane);
  }
};

template <typename T>
KernelList backward(const PoolShape& s, bool nhwc, Buffers b) {
  const std::int64_t plane = s.h * s.w;
  KernelList list;
  add_strided(
      list, "avgpool_gradient_strided" + choices(type_text<T>), s.n * s.c * plane, [&](auto tag) {
        using Index = typename decltype(tag)::type;
        return SpreadElement<T, Index>{static_cast<T*>(b[1]), static_cast<const T*>(b[0]),
                                       FastDiv<Index>(nhwc ? plane * s.c : plane),
                                       FastDiv<Index>(nhwc ? s.c : 1), static_cast<float>(plane)};
      });
  return list;
}

/// The shapes that PyTorch's reduce_kernel takes: nchw, a warp an output, 16 outputs a block; nhwc,
/// four channels a thread, 128 threads a block.
template <typename T>
KernelList forward(const PoolShape& s, bool nhwc, Buffers b) {
  KernelList list;
  if (!nhwc) {
    add_average_nchw<T, 1, 1, 512>(list, s, b);
  } else if (s.c % 4 == 0) {
    add_average_nhwc<T, 4, 128>(list, s, b);
  } else {
    add_average_nhwc<T, 1, 128>(list, s, b);
  }
  return list;
}

}  // namespace

KernelList avgpool_native(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  if (std::string reason = avgpool_refusal(op); !reason.empty()) return refusal(reason);
  const auto& s = std::get<PoolShape>(op.shape);
  const bool nhwc = op.layout == Layout::nhwc;
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return op.family == Family::avgpool_fwd ? forward<T>(s, nhwc, buffers)
                                            : backward<T>(s, nhwc, buffers);
  });
}

}  // namespace stepcast
