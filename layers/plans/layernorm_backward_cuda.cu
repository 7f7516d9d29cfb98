// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/launch.cuh"
#include "layers/plans/layernorm.cuh"
#include "layers/plans/pack.cuh"
#include "layers/plans/reduce.cuh"

namespace stepcast {
namespace {

constexpr int kHeld = 8;  // elements of a row in one thread

/// Rows that a group has in flight: 64 bytes a thread, where registers allow.
template <typename Y, int Width>
constexpr int kRowsOf = Width == 8 && sizeof(Y) == 2 ? 2 : 1;

template <int Group>
constexpr int kThreadsOf = Group < 512 ? 512 : Group;

/// The sums over the threads that share a row, for all values at once.
template <int Group, int Count>
__device__ __forceinline__ void group_sums(float (&values)[Count], float (*scratch)[Count]) {
#pragma unroll
  for (float& value : values) value = warp_sum(value);
  if constexpr (Group > 32) {
    constexpr int kWarps = Group / 32;
    const int warp = threadIdx.x / 32;
    __syncthreads();  // the sums before these have been read
    if (threadIdx.x % 32 == 0) {
#pragma unroll
      for (int i = 0; i < Count; ++i) scratch[warp][i] = values[i];
    }
    __syncthreads();
    const int first = warp / kWarps * kWarps;
#pragma unroll
    for (float& value : values) value = 0.0F;
    for (int w = 0; w < kWarps; ++w) {
#pragma unroll
      for (int i = 0; i < Count; ++i) values[i] += scratch[first + w][i];
    }
  }
}

struct Operands {
  const void *dy, *x;
  const float *gamma, *mean, *invstd;
  void* dx;
};

/// Each block walks over rows, a group of threads a row, and keeps its columns' sums of dy x^ and
/// dy, which it writes at the end: partials[block][2][n].
///   x^ = (x - mean) invstd;  g = dy gamma;  dx = invstd (g - mean(g) - x^ mean(g x^))
template <typename T, typename Y, int Width, int Group>
__global__ __launch_bounds__(
    kThreadsOf<Group>,
    1024 / kThreadsOf<Group>) void layernorm_gradient_kernel(Operands o, float* partials,
                                                             std::int64_t rows, int n) {
  constexpr int kThreads = kThreadsOf<Group>;
  constexpr int kGroups = kThreads / Group;
  constexpr int kPacks = kHeld / Width;
  constexpr int kRows = kRowsOf<Y, Width>;
  __shared__ float scratch[kThreads / 32][2 * kRows];
  __shared__ float columns[kGroups > 1 ? kThreads * kHeld : 1];
  const int lane = threadIdx.x % Group;
  const int group = threadIdx.x / Group;
  const auto* dy = static_cast<const T*>(o.dy);
  const auto* x = static_cast<const T*>(o.x);
  auto* dx = static_cast<Y*>(o.dx);
  float dgamma[kHeld] = {};
  float dbeta[kHeld] = {};
  const float inverse_n = 1.0F / static_cast<float>(n);

  // All groups of a block make the same number of turns, since the sums have barriers.
  for (std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * (kGroups * kRows); tile < rows;
       tile += static_cast<std::int64_t>(gridDim.x) * (kGroups * kRows)) {
    Pack<T, Width> dys[kRows][kPacks];
    Pack<T, Width> xs[kRows][kPacks];
    float mean[kRows];
    float invstd[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t row = least(tile + r * kGroups + group, rows - 1);
#pragma unroll
      for (int k = 0; k < kPacks; ++k) {
        // Beyond the row its first pack is read and not used.
        const int at = (k * Group + lane) * Width;
        dys[r][k] = load<Width>(dy + row * n + (at < n ? at : 0));
        xs[r][k] = load<Width>(x + row * n + (at < n ? at : 0));
      }
      mean[r] = o.mean[row];
      invstd[r] = o.invstd[row];
    }
    float sums[2 * kRows] = {};
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int at = (k * Group + lane) * Width;
      if (at >= n) continue;
      const Pack<float, Width> gamma = load<Width>(o.gamma + at);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        if (tile + r * kGroups + group >= rows) continue;
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          const float gradient = to_float(dys[r][k].value[w]);
          const float normal = (to_float(xs[r][k].value[w]) - mean[r]) * invstd[r];
          dgamma[k * Width + w] = fmaf(gradient, normal, dgamma[k * Width + w]);
          dbeta[k * Width + w] += gradient;
          sums[r] = fmaf(gradient, gamma.value[w], sums[r]);
          sums[kRows + r] = fmaf(gradient * gamma.value[w], normal, sums[kRows + r]);
        }
      }
    }
    group_sums<Group>(sums, scratch);
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int at = (k * Group + lane) * Width;
      if (at >= n) continue;
      const Pack<float, Width> gamma = load<Width>(o.gamma + at);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const std::int64_t row = tile + r * kGroups + group;
        if (row >= rows) continue;
        Pack<float, Width> result;
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          const float normal = (to_float(xs[r][k].value[w]) - mean[r]) * invstd[r];
          const float g = to_float(dys[r][k].value[w]) * gamma.value[w];
          result.value[w] = invstd[r] * (g - inverse_n * fmaf(normal, sums[kRows + r], sums[r]));
        }
        store(dx + row * n + at, packed<Y>(result));
      }
    }
  }

  // The groups' sums of each column, then the block's.
  float* own = partials + static_cast<std::int64_t>(blockIdx.x) * 2 * n;
#pragma unroll
  for (int which = 0; which < 2; ++which) {
    float(&sums)[kHeld] = which == 0 ? dgamma : dbeta;
    if constexpr (kGroups > 1) {
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kPacks; ++k) {
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          columns[group * (Group * kHeld) + (k * Group + lane) * Width + w] = sums[k * Width + w];
        }
      }
      __syncthreads();
      for (int c = threadIdx.x; c < n; c += kThreads) {
        float sum = 0.0F;
#pragma unroll
        for (int g = 0; g < kGroups; ++g) sum += columns[g * (Group * kHeld) + c];
        own[which * n + c] = sum;
      }
    } else {
#pragma unroll
      for (int k = 0; k < kPacks; ++k) {
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          const int at = (k * Group + lane) * Width + w;
          if (at < n) own[which * n + at] = sums[k * Width + w];
        }
      }
    }
  }
}

constexpr int kSumWarps = 16;

/// dgamma and dbeta: the blocks' sums, added in order. 32 of the 2 n columns a block.
__global__ __launch_bounds__(32 * kSumWarps) void sum_partials_kernel(const float* partials,
                                                                      float* dgamma, float* dbeta,
                                                                      int blocks, int n) {
  __shared__ float scratch[kSumWarps][33];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int column = blockIdx.x * 32 + lane;
  float sum = 0.0F;
  if (column < 2 * n) {
#pragma unroll 8
    for (int block = warp; block < blocks; block += kSumWarps) {
      sum += partials[static_cast<std::int64_t>(block) * 2 * n + column];
    }
  }
  scratch[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || column >= 2 * n) return;
  sum = 0.0F;
#pragma unroll
  for (int w = 0; w < kSumWarps; ++w) sum += scratch[w][lane];
  (column < n ? dgamma[column] : dbeta[column - n]) = sum;
}

template <typename T, typename Y, int Width>
KernelList backward(const MatrixShape& s, Buffers b, int multiprocessors) {
  KernelList list;
  const Operands operands{b[0],
                          b[1],
                          static_cast<const float*>(b[2]),
                          static_cast<const float*>(b[3]),
                          static_cast<const float*>(b[4]),
                          b[5]};
  const auto add = [&](auto group) {
    constexpr int kGroup = decltype(group)::value;
    constexpr int kThreads = kThreadsOf<kGroup>;
    const unsigned tiles = blocks_for(s.m, kThreads / kGroup * kRowsOf<Y, Width>);
    const unsigned blocks =
        std::min<unsigned>(tiles, static_cast<unsigned>(multiprocessors) * (1024 / kThreads));
    float* partials = list.zeroed<float>(std::int64_t{2} * blocks * s.n);
    add_kernel(list, "layernorm_gradient" + choices(type_text<T>, type_text<Y>, Width, kGroup),
               layernorm_gradient_kernel<T, Y, Width, kGroup>, blocks, kThreads, operands, partials,
               s.m, s.n);
    add_kernel(list, "sum_partials", sum_partials_kernel, blocks_for(2 * s.n, 32), 32 * kSumWarps,
               static_cast<const float*>(partials), static_cast<float*>(b[6]),
               static_cast<float*>(b[7]), blocks, s.n);
  };
  if (s.n <= 32 * kHeld) {
    add(std::integral_constant<int, 32>{});
  } else if (s.n <= 128 * kHeld) {
    add(std::integral_constant<int, 128>{});
  } else if (s.n <= 512 * kHeld) {
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
