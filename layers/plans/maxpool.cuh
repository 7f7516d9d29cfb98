// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Max pooling forward and backward for both of our providers, which differ in what an index means
// and in how many channels a thread takes.

#include <cstdint>
#include <string>

#include "layers/op.hpp"
#include "layers/plans/fast_div.cuh"
#include "layers/plans/launch.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {

inline constexpr int kPoolThreads = 256;

/// Images and windows. A thread's element is (outer, row, column, inner): an image and a pack of
/// channels in nhwc; an image's channel, and one inner place, in nchw.
struct PoolGeometry {
  int h, w, out_h, out_w, u, p;
  int pixel;  // elements from one pixel to the next: c in nhwc, 1 in nchw
  FastDiv<std::uint64_t> inner;
  FastDiv<std::uint64_t> columns;
  FastDiv<std::uint64_t> rows;

  /// `backward`: threads walk over the input's pixels, not the output's.
  PoolGeometry(const PoolShape& s, bool nhwc, int width, bool backward)
      : h(static_cast<int>(s.h)),
        w(static_cast<int>(s.w)),
        out_h(static_cast<int>(stepcast::out_h(s))),
        out_w(static_cast<int>(stepcast::out_w(s))),
        u(static_cast<int>(s.u)),
        p(static_cast<int>(s.p)),
        pixel(nhwc ? static_cast<int>(s.c) : 1),
        inner(nhwc ? s.c / width : 1),
        columns(backward ? s.w : stepcast::out_w(s)),
        rows(backward ? s.h : stepcast::out_h(s)) {}
};

struct PoolPlace {
  std::int64_t outer;
  int row, column, inner;
};

__device__ __forceinline__ PoolPlace pool_place(const PoolGeometry& g, std::uint64_t element) {
  PoolPlace place{};
  std::uint64_t rest = g.inner.divide(element);
  place.inner = static_cast<int>(element);
  std::uint64_t row = g.columns.divide(rest);
  place.column = static_cast<int>(rest);
  place.outer = static_cast<std::int64_t>(g.rows.divide(row));
  place.row = static_cast<int>(row);
  return place;
}

/// What the forward pass remembers of a maximum. uint8: its place in the window; int64: its place
/// in the plane, as PyTorch does.
template <typename Index>
__device__ __forceinline__ Index pool_index(int row, int column, int window_place, int w) {
  if constexpr (sizeof(Index) == 1) return static_cast<Index>(window_place);
  return static_cast<Index>(row) * w + column;
}

/// One thread computes `Width` neighbouring channels of one output pixel (nchw: one). R: window
/// size, or 0 for `r`. The first of equal maxima counts; NaN is one.
template <typename T, typename Index, int Width, int R>
__global__ __launch_bounds__(kPoolThreads) void maxpool_forward_kernel(const T* x, T* y,
                                                                       Index* index, int r,
                                                                       std::uint64_t packs,
                                                                       PoolGeometry g) {
  const std::uint64_t pack = static_cast<std::uint64_t>(blockIdx.x) * kPoolThreads + threadIdx.x;
  if (pack >= packs) return;
  const int window = R > 0 ? R : r;
  const PoolPlace place = pool_place(g, pack);
  const T* plane = x + place.outer * g.h * g.w * g.pixel + place.inner * Width;
  Pack<float, Width> best;
  Pack<Index, Width> best_index;
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    best.value[i] = -INFINITY;
    // Where all of a window is -inf, its first place inside the image counts.
    const int row = max(place.row * g.u - g.p, 0);
    const int column = max(place.column * g.u - g.p, 0);
    const int in_window =
        (row - place.row * g.u + g.p) * window + column - place.column * g.u + g.p;
    best_index.value[i] = pool_index<Index>(row, column, in_window, g.w);
  }
#pragma unroll
  for (int a = 0; a < window; ++a) {
    const int row = place.row * g.u - g.p + a;
    if (row < 0 || row >= g.h) continue;
#pragma unroll
    for (int b = 0; b < window; ++b) {
      const int column = place.column * g.u - g.p + b;
      if (column < 0 || column >= g.w) continue;
      const std::int64_t pixel = static_cast<std::int64_t>(row) * g.w + column;
      const Pack<float, Width> values = unpack(load<Width>(plane + pixel * g.pixel));
      const Index here = pool_index<Index>(row, column, a * window + b, g.w);
#pragma unroll
      for (int i = 0; i < Width; ++i) {
        if (values.value[i] > best.value[i] || isnan(values.value[i])) {
          best.value[i] = values.value[i];
          best_index.value[i] = here;
        }
      }
    }
  }
  store(y + pack * Width, packed<T>(best));
  store(index + pack * Width, best_index);
}

/// One thread gathers the gradient of one input pixel's `Width` channels from the windows that
/// cover it.
template <typename T, typename Index, int Width>
__global__ __launch_bounds__(kPoolThreads) void maxpool_backward_kernel(
    const T* dy, const Index* index, T* dx, int window, std::uint64_t packs, PoolGeometry g) {
  const std::uint64_t pack = static_cast<std::uint64_t>(blockIdx.x) * kPoolThreads + threadIdx.x;
  if (pack >= packs) return;
  const PoolPlace place = pool_place(g, pack);
  const std::int64_t plane =
      place.outer * g.out_h * g.out_w * g.pixel + static_cast<std::int64_t>(place.inner) * Width;
  const int bottom = place.row + g.p;
  const int right = place.column + g.p;
  const int first_row = bottom < window ? 0 : (bottom - window) / g.u + 1;
  const int first_column = right < window ? 0 : (right - window) / g.u + 1;
  const int last_row = min(bottom / g.u, g.out_h - 1);
  const int last_column = min(right / g.u, g.out_w - 1);
  Pack<float, Width> sum;
#pragma unroll
  for (float& value : sum.value) value = 0.0F;
  for (int row = first_row; row <= last_row; ++row) {
    for (int column = first_column; column <= last_column; ++column) {
      const std::int64_t at = plane + (static_cast<std::int64_t>(row) * g.out_w + column) * g.pixel;
      const Pack<Index, Width> from = load<Width>(index + at);
      const Pack<float, Width> gradient = unpack(load<Width>(dy + at));
      const int in_window = (bottom - row * g.u) * window + right - column * g.u;
      const Index here = pool_index<Index>(place.row, place.column, in_window, g.w);
#pragma unroll
      for (int i = 0; i < Width; ++i) {
        if (from.value[i] == here) sum.value[i] += gradient.value[i];
      }
    }
  }
  store(dx + pack * Width, packed<T>(sum));
}

template <typename T, typename Index, int Width>
KernelList::Launch maxpool_forward(const std::string& name, const PoolShape& s, bool nhwc,
                                   const void* x, void* y, void* index) {
  const std::int64_t packs = s.n * s.c * out_h(s) * out_w(s) / Width;
  const auto kernel = s.r == 3 ? maxpool_forward_kernel<T, Index, Width, 3>
                               : maxpool_forward_kernel<T, Index, Width, 0>;
  return bind_kernel(name, kernel, blocks_for(packs, kPoolThreads), kPoolThreads,
                     static_cast<const T*>(x), static_cast<T*>(y), static_cast<Index*>(index), s.r,
                     packs, PoolGeometry(s, nhwc, Width, false));
}

/// Operands: x -> y index, or dy x index -> dx.
template <typename T, typename Index, int Width>
KernelList maxpool(const Op& op, Buffers b) {
  const auto& s = std::get<PoolShape>(op.shape);
  const bool nhwc = op.layout == Layout::nhwc;
  const std::string layout = nhwc ? "_nhwc" : "_nchw";
  const std::string types = choices(type_text<T>, sizeof(Index) == 1 ? "uint8" : "int64", Width);
  const std::string forward = "maxpool" + layout + types;
  KernelList list;
  if (op.family == Family::maxpool_fwd) {
    list.add(forward, maxpool_forward<T, Index, Width>(forward, s, nhwc, b[0], b[1], b[2]));
    return list;
  }
  // Only the forward pass's index is wanted. Its y goes where dx will be written, if that is large
  // enough.
  const bool fits = out_h(s) * out_w(s) <= s.h * s.w;
  void* y = fits ? b[3] : list.zeroed<T>(s.n * s.c * out_h(s) * out_w(s));
  list.prepare.push_back(maxpool_forward<T, Index, Width>(forward, s, nhwc, b[1], y, b[2]));
  const std::int64_t packs = s.n * s.c * s.h * s.w / Width;
  add_kernel(list, "maxpool_gradient" + layout + types, maxpool_backward_kernel<T, Index, Width>,
             blocks_for(packs, kPoolThreads), kPoolThreads, static_cast<const T*>(b[0]),
             static_cast<const Index*>(b[2]), static_cast<T*>(b[3]), s.r, packs,
             PoolGeometry(s, nhwc, Width, true));
  return list;
}

}  // namespace stepcast
