// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of the provider cuda's layer norm backward. T, Y: types of dy and x, and of dx;
// Width: elements of a pack; Group: threads that share a row.

#include "layers/plans/group_reduce.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {

inline constexpr int kGradientHeld = 8;  // elements of a row in one of its threads

/// How a block is cut. Of two-byte rows as long as ViT's, three rows a group in flight and one
/// block a multiprocessor: 244 to 229 us for 201728 x 768 in bf16 (H200).
template <typename Y, int Width, int Group>
struct GradientCut {
  static constexpr bool kHalves = Width == 8 && sizeof(Y) == 2;
  static constexpr bool kThree = kHalves && Group == 96;
  static constexpr int kRows = kThree ? 3 : kHalves ? 2 : 1;  // in flight
  static constexpr int kThreads = kThree ? 768 : Group < 512 ? 512 / Group * Group : Group;
  static constexpr int kThreadsPerSm = kThree ? 768 : 1024;
  static constexpr int kGroups = kThreads / Group;
};

struct LayerNormGradient {
  const void *dy, *x;
  const float *gamma, *mean, *invstd;
  void* dx;
};

/// Each block walks over rows, a group of threads a row, and keeps its columns' sums of dy x^ and
/// dy, which it writes at the end: partials[block][2][n].
///   x^ = (x - mean) invstd;  g = dy gamma;  dx = invstd (g - mean(g) - x^ mean(g x^))
template <typename T, typename Y, int Width, int Group, typename Cut = GradientCut<Y, Width, Group>>
__global__ __launch_bounds__(Cut::kThreads,
                             Cut::kThreadsPerSm /
                                 Cut::kThreads) void layernorm_gradient_kernel(LayerNormGradient o,
                                                                               float* partials,
                                                                               std::int64_t rows,
                                                                               int n) {
  constexpr int kThreads = Cut::kThreads;
  constexpr int kGroups = Cut::kGroups;
  constexpr int kPacks = kGradientHeld / Width;
  constexpr int kRows = Cut::kRows;
  using Raw = RawPack<T, Width>;
  __shared__ float scratch[kThreads / 32][2 * kRows];
  __shared__ float columns[kGroups > 1 ? kThreads * kGradientHeld : 1];
  const int lane = threadIdx.x % Group;
  const int group = threadIdx.x / Group;
  const auto* dy = static_cast<const T*>(o.dy);
  const auto* x = static_cast<const T*>(o.x);
  auto* dx = static_cast<Y*>(o.dx);
  float dgamma[kGradientHeld] = {};
  float dbeta[kGradientHeld] = {};
  const float inverse_n = 1.0F / static_cast<float>(n);

  for (std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * (kGroups * kRows); tile < rows;
       tile += static_cast<std::int64_t>(gridDim.x) * (kGroups * kRows)) {
    Raw dys[kRows][kPacks];
    Raw xs[kRows][kPacks];
    float mean[kRows];
    float invstd[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t row = least(tile + r * kGroups + group, rows - 1);
#pragma unroll
      for (int k = 0; k < kPacks; ++k) {
        // Beyond the row its first pack is read and not used.
        const int at = (k * Group + lane) * Width;
        dys[r][k] = load_as<Raw>(dy + row * n + (at < n ? at : 0));
        xs[r][k] = load_as<Raw>(x + row * n + (at < n ? at : 0));
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
        const Pack<float, Width> gradients = unpack(dys[r][k]);
        const Pack<float, Width> values = unpack(xs[r][k]);
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          const float gradient = gradients.value[w];
          const float normal = (values.value[w] - mean[r]) * invstd[r];
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
        const Pack<float, Width> gradients = unpack(dys[r][k]);
        const Pack<float, Width> values = unpack(xs[r][k]);
        Pack<float, Width> result;
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          const float normal = (values.value[w] - mean[r]) * invstd[r];
          const float g = gradients.value[w] * gamma.value[w];
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
    float(&sums)[kGradientHeld] = which == 0 ? dgamma : dbeta;
    if constexpr (kGroups > 1) {
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kPacks; ++k) {
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          columns[group * (Group * kGradientHeld) + (k * Group + lane) * Width + w] =
              sums[k * Width + w];
        }
      }
      __syncthreads();
      for (int c = threadIdx.x; c < n; c += kThreads) {
        float sum = 0.0F;
#pragma unroll
        for (int g = 0; g < kGroups; ++g) sum += columns[g * (Group * kGradientHeld) + c];
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

inline constexpr int kSumWarps = 16;

/// dgamma and dbeta: the blocks' sums, added in order. 32 of the 2 n columns a block.
static __global__ __launch_bounds__(32 * kSumWarps) void sum_partials_kernel(const float* partials,
                                                                             float* dgamma,
                                                                             float* dbeta,
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

}  // namespace stepcast
