// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/column_reduce.cuh"
#include "layers/plans/elementwise.cuh"
#include "layers/plans/fast_div.cuh"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr int kUnroll = 4;

/// A pack of y that starts in `column`, plus the bias of its columns.
template <int Width, typename Y, typename B>
__device__ __forceinline__ Pack<Y, Width> biased(const Pack<Y, Width>& pack, const B* bias,
                                                 std::uint64_t column, std::uint64_t columns) {
  Pack<float, Width> values = unpack(pack);
  if (columns % Width == 0) {  // no pack crosses rows
    const Pack<float, Width> add = unpack(load<Width>(bias + column));
#pragma unroll
    for (int i = 0; i < Width; ++i) values.value[i] += add.value[i];
  } else {
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      values.value[i] += to_float(bias[column]);
      if (++column == columns) column = 0;
    }
  }
  return packed<Y>(values);
}

/// y[m,n] += bias[n]: y as one run of packs, whose columns come from a division each.
template <int Width, typename Y, typename B>
__global__ __launch_bounds__(kThreads, 4) void bias_add_kernel(Y* y, const B* bias, std::int64_t n,
                                                               FastDiv<std::uint64_t> columns) {
  constexpr int kStride = kThreads * Width;
  constexpr int kTile = kStride * kUnroll;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const auto column = [&](std::int64_t element) {
    auto in_row = static_cast<std::uint64_t>(element);
    columns.divide(in_row);
    return in_row;
  };
  const std::int64_t first = tile + threadIdx.x * Width;
  if (tile + kTile > n) {
#pragma unroll 1
    for (int u = 0; u < kUnroll; ++u) {
      const std::int64_t at = first + u * kStride;
      if (at + Width <= n) {
        store(y + at, biased(load<Width>(y + at), bias, column(at), columns.divisor()));
      } else {
        for (std::int64_t i = at; i < n; ++i) {
          y[i] = from_float<Y>(to_float(y[i]) + to_float(bias[column(i)]));
        }
      }
    }
    return;
  }
  Pack<Y, Width> packs[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) packs[u] = load<Width>(y + first + u * kStride);
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t at = first + u * kStride;
    store(y + at, biased(packs[u], bias, column(at), columns.divisor()));
  }
}

template <typename T, typename Y, int Width, int Unroll>
struct BiasGradient {
  static constexpr int kWidth = Width;
  static constexpr int kSums = 1;
  static constexpr int kUnroll = Unroll;
  struct State {};
  struct Loaded {
    RawPack<T, Width> dy;
  };

  const T* dy;
  Y* dbias;

  __device__ State state(std::int64_t) const { return {}; }
  __device__ Loaded load(std::int64_t offset) const {
    return {load_as<RawPack<T, Width>>(dy + offset)};
  }
  __device__ void add(const Loaded& loaded, const State&, float (&sums)[1][Width],
                      std::int64_t) const {
    const Pack<float, Width> values = unpack(loaded.dy);
#pragma unroll
    for (int w = 0; w < Width; ++w) sums[0][w] += values.value[w];
  }
  __device__ void finish(std::int64_t column, const float (&totals)[1]) const {
    dbias[column] = from_float<Y>(totals[0]);
  }
};

/// Rows of many columns are read in longer pieces. Two-byte elements roll: 111 to 109 us for 100864
/// x 2304 in bf16, 146 to 142 us for 3072 columns (H200).
template <typename T, typename Y, int Width>
KernelList bias_gradient(const MatrixShape& s, Buffers b, int multiprocessors) {
  constexpr std::int64_t kWide = 2048;
  using Cut = std::conditional_t<sizeof(T) == 2, ReduceCut<512, 2, true>, DefaultCut>;
  KernelList list;
  const auto add = [&](auto unroll, int log2_lanes) {
    using Body = BiasGradient<T, Y, Width, decltype(unroll)::value>;
    add_column_reduce<Cut>(list, "bias_gradient" + choices(type_text<T>, type_text<Y>, Width),
                           Body{static_cast<const T*>(b[0]), static_cast<Y*>(b[1])}, s.m, s.n,
                           multiprocessors, log2_lanes);
  };
  if (s.n >= kWide || !Cut::kRolling) {
    add(std::integral_constant<int, 4>{}, s.n >= kWide ? kStripLog2Lanes + 1 : kStripLog2Lanes);
  } else {
    add(std::integral_constant<int, 8>{}, kStripLog2Lanes);
  }
  return list;
}

}  // namespace

KernelList bias_cuda(const Op& op, Buffers b, const cudaDeviceProp& device) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return with_real_pair(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    using Y = typename decltype(out)::type;
    if (op.family == Family::bias_grad) {
      if (s.n % kWidest<T> != 0) return bias_gradient<T, Y, 1>(s, b, device.multiProcessorCount);
      return bias_gradient<T, Y, kWidest<T>>(s, b, device.multiProcessorCount);
    }
    constexpr int kWidth = kWidest<Y>;
    KernelList list;
    add_kernel(list, "bias_add" + choices(type_text<T>, type_text<Y>),
               bias_add_kernel<kWidth, Y, T>, blocks_for(s.m * s.n, kThreads * kUnroll * kWidth),
               kThreads, static_cast<Y*>(b[0]), static_cast<const T*>(b[1]), s.m * s.n,
               FastDiv<std::uint64_t>(s.n));
    return list;
  });
}

}  // namespace stepcast
