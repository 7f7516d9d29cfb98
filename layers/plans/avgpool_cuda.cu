// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/avgpool.cuh"
#include "layers/plans/fast_div.cuh"
#include "layers/plans/kernel_families.hpp"

namespace stepcast {
namespace {

constexpr int kThreads = 256;

/// dx = dy / plane, in packs of dx. nhwc: the pixels of an image repeat its channels' packs.
template <typename T, int Width>
__global__ __launch_bounds__(kThreads) void spread_nhwc_kernel(const T* dy, T* dx,
                                                               std::uint64_t packs, float scale,
                                                               FastDiv<std::uint64_t> image_packs,
                                                               FastDiv<std::uint64_t> row_packs) {
  const std::uint64_t pack = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pack >= packs) return;
  std::uint64_t in_row = pack;
  const std::uint64_t image = image_packs.quotient(pack);
  row_packs.divide(in_row);
  Pack<float, Width> values =
      unpack(load<Width>(dy + (image * row_packs.divisor() + in_row) * Width));
#pragma unroll
  for (float& value : values.value) value *= scale;
  store(dx + pack * Width, packed<T>(values));
}

/// nchw: a plane repeats one element; a pack may reach into the planes after it.
template <typename T, int Width>
__global__ __launch_bounds__(kThreads) void spread_nchw_kernel(const T* dy, T* dx, std::int64_t n,
                                                               float scale,
                                                               FastDiv<std::uint64_t> plane) {
  const std::int64_t first =
      (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * Width;
  if (first >= n) return;
  auto in_plane = static_cast<std::uint64_t>(first);
  std::uint64_t row = plane.divide(in_plane);
  float value = to_float(dy[row]) * scale;
  Pack<float, Width> values;
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    values.value[i] = value;
    if (++in_plane == plane.divisor() && first + i + 1 < n) {
      in_plane = 0;
      value = to_float(dy[++row]) * scale;
    }
  }
  const Pack<T, Width> result = packed<T>(values);
  if (first + Width <= n) {
    store(dx + first, result);
  } else {
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      if (first + i < n) dx[first + i] = result.value[i];
    }
  }
}

template <typename T, int Width>
void add_spread_nhwc(KernelList& list, const PoolShape& s, Buffers b) {
  const std::int64_t row_packs = s.c / Width;
  const std::int64_t image_packs = s.h * s.w * row_packs;
  add_kernel(list, "avgpool_gradient_nhwc" + choices(type_text<T>, Width),
             spread_nhwc_kernel<T, Width>, blocks_for(s.n * image_packs, kThreads), kThreads,
             static_cast<const T*>(b[0]), static_cast<T*>(b[1]), s.n * image_packs,
             1.0F / static_cast<float>(s.h * s.w), FastDiv<std::uint64_t>(image_packs),
             FastDiv<std::uint64_t>(row_packs));
}

template <typename T>
KernelList backward(const PoolShape& s, bool nhwc, Buffers b) {
  constexpr int kWidth = kWidest<T>;
  KernelList list;
  if (nhwc) {
    if (s.c % kWidth == 0) {
      add_spread_nhwc<T, kWidth>(list, s, b);
    } else {
      add_spread_nhwc<T, 1>(list, s, b);
    }
    return list;
  }
  const std::int64_t n = s.n * s.c * s.h * s.w;
  add_kernel(list, "avgpool_gradient_nchw" + choices(type_text<T>, kWidth),
             spread_nchw_kernel<T, kWidth>, blocks_for(n, kThreads * kWidth), kThreads,
             static_cast<const T*>(b[0]), static_cast<T*>(b[1]), n,
             1.0F / static_cast<float>(s.h * s.w), FastDiv<std::uint64_t>(s.h * s.w));
  return list;
}

template <typename T>
KernelList forward(const PoolShape& s, bool nhwc, Buffers b) {
  constexpr int kWidth = kWidest<T>;
  KernelList list;
  if (nhwc && s.c % kWidth == 0) {
    add_average_nhwc<T, kWidth, kThreads>(list, s, b);
  } else if (nhwc) {
    add_average_nhwc<T, 1, kThreads>(list, s, b);
  } else if (s.h * s.w % kWidth == 0) {
    add_average_nchw<T, kWidth, 4, kThreads>(list, s, b);
  } else {
    add_average_nchw<T, 1, 4, kThreads>(list, s, b);
  }
  return list;
}

}  // namespace

KernelList avgpool_cuda(const Op& op, Buffers buffers, const cudaDeviceProp&) {
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
