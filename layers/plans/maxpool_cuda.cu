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

// The shapes of a thread's tile are those that were the fastest on an H200.

template <typename T>
KernelList::Launch bind_forward(const std::string& name, const PoolShape& s, bool nhwc,
                                const void* x, void* y, void* index) {
  constexpr int kWidth = kWidest<T>;
  const auto bind = [&](auto kernel, const MaxPoolTiles& tiles) {
    return bind_kernel(name, kernel, pool_blocks(tiles), kMaxPoolThreads, static_cast<const T*>(x),
                       static_cast<T*>(y), static_cast<std::uint8_t*>(index), tiles);
  };
  if (nhwc) {
    return bind(maxpool_nhwc_kernel<T, 2, 1>, MaxPoolTiles(s, s.n, s.c / kWidth, 1, 2));
  }
  if (s.w % (2 * kWidth) == 0) {
    return bind(maxpool_nchw_kernel<T, 2, 1>, MaxPoolTiles(s, s.n * s.c, 1, kWidth, 1));
  }
  return bind(maxpool_nchw_kernel<T, 1, 2>, MaxPoolTiles(s, s.n * s.c, 1, kWidth / 2, 2));
}

template <typename T>
void add_gradient(KernelList& list, const std::string& name, const PoolShape& s, bool nhwc,
                  Buffers b) {
  constexpr int kWidth = kWidest<T>;
  constexpr int kPixelRows = sizeof(T) == 4 ? 2 : 1;  // in nhwc
  constexpr int kPlaneRows = sizeof(T) == 4 ? 1 : 4;  // in nchw
  const auto add = [&](auto kernel, const MaxPoolTiles& tiles) {
    add_kernel(list, name, kernel, pool_blocks(tiles), kMaxPoolThreads, static_cast<const T*>(b[0]),
               static_cast<const std::uint8_t*>(b[2]), static_cast<T*>(b[3]), tiles);
  };
  if (nhwc) {
    add(maxpool_gradient_nhwc_kernel<T, kPixelRows, 1>,
        MaxPoolTiles(s, s.n, s.c / kWidth, 1, kPixelRows));
  } else {
    add(maxpool_gradient_nchw_kernel<T, kPlaneRows>,
        MaxPoolTiles(s, s.n * s.c, 1, kWidth / 2, kPlaneRows));
  }
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
  add_gradient<T>(list, "maxpool_gradient" + types, s, nhwc, b);
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
