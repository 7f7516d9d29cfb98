// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/maxpool.cuh"
#include "layers/plans/maxpool_nchw.cuh"
#include "layers/plans/maxpool_nhwc.cuh"

namespace stepcast {
namespace {

/// Whether this is ResNet's window, on rows (nchw) or pixels (nhwc) of whole packs whose places
/// count in 32 bits.
template <typename T>
bool is_resnets(const PoolShape& s, bool nhwc) {
  if (s.r != 3 || s.u != 2 || s.p != 1) return false;
  if (s.h * s.w * (nhwc ? s.c : 1) > INT32_MAX ||
      s.n * s.c * s.h * s.w / kWidest < T >> INT32_MAX) {
    return false;
  }
  return (nhwc ? s.c : s.w) % kWidest<T> == 0;
}

unsigned pool_blocks(const MaxPoolTiles& tiles) {
  return blocks_for(tiles.threads, kMaxPoolThreads);
}

template <typename T>
KernelList::Launch bind_forward(const std::string& name, const PoolShape& s, bool nhwc,
                                const void* x, void* y, void* index) {
  constexpr int kWidth = kWidest<T>;
  const MaxPoolTiles tiles = nhwc ? MaxPoolTiles(s, s.n, s.c / kWidth, 2, 1)
                                  : MaxPoolTiles(s, s.n * s.c, 1, kWidth / 2, 2);
  return bind_kernel(name, nhwc ? maxpool_nhwc_kernel<T, 1, 2> : maxpool_nchw_kernel<T, 1, 2>,
                     pool_blocks(tiles), kMaxPoolThreads, static_cast<const T*>(x),
                     static_cast<T*>(y), static_cast<std::uint8_t*>(index), tiles);
}

/// As maxpool() of maxpool.cuh.
template <typename T>
KernelList resnets_maxpool(const Op& op, Buffers b) {
  constexpr int kWidth = kWidest<T>;
  const auto& s = std::get<PoolShape>(op.shape);
  const bool nhwc = op.layout == Layout::nhwc;
  const std::string types =
      std::string(nhwc ? "_3x3_nhwc" : "_3x3_nchw") + choices(type_text<T>, "uint8", kWidth);
  KernelList list;
  if (op.family == Family::maxpool_fwd) {
    list.add("maxpool" + types, bind_forward<T>("maxpool" + types, s, nhwc, b[0], b[1], b[2]));
    return list;
  }
  // Only the forward pass's index is wanted. Its y, which is no larger, goes where dx will be.
  list.prepare.push_back(bind_forward<T>("maxpool" + types, s, nhwc, b[1], b[3], b[2]));
  const MaxPoolTiles tiles = nhwc ? MaxPoolTiles(s, s.n, s.c / kWidth, 1, 1)
                                  : MaxPoolTiles(s, s.n * s.c, 1, kWidth / 2, 2);
  add_kernel(list, "maxpool_gradient" + types,
             nhwc ? maxpool_gradient_nhwc_kernel<T, 1, 1> : maxpool_gradient_nchw_kernel<T, 2>,
             pool_blocks(tiles), kMaxPoolThreads, static_cast<const T*>(b[0]),
             static_cast<const std::uint8_t*>(b[2]), static_cast<T*>(b[3]), tiles);
  return list;
}

}  // namespace

KernelList maxpool_cuda(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  const auto& s = std::get<PoolShape>(op.shape);
  if (op.in != op.out) return refuse_types(op);
  if (s.r > 15) return refusal("a window above 15 x 15 has places that uint8 does not count");
  const bool nhwc = op.layout == Layout::nhwc;
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (is_resnets<T>(s, nhwc)) return resnets_maxpool<T>(op, buffers);
    if (nhwc && s.c % kWidest<T> == 0) {
      return maxpool<T, std::uint8_t, kWidest<T>>(op, buffers);
    }
    return maxpool<T, std::uint8_t, 1>(op, buffers);
  });
}

}  // namespace stepcast
