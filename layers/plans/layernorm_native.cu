// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/layernorm.cuh"
#include "layers/plans/pack.cuh"
#include "layers/plans/reduce.cuh"
#include "layers/plans/welford.cuh"

namespace stepcast {
namespace {

// PyTorch's vectorised kernels: a block of 128 threads a row, four elements a thread at a time, the
// row read again for the result. dgamma and dbeta: 32 columns a block, 32 x 32 threads with 8 rows
// each at a time.
constexpr int kThreads = 128;
constexpr int kTile = 32;
constexpr int kRowsOfThread = 8;

/// Merges a block's sums, in all of its threads.
__device__ __forceinline__ Welford merge_block(Welford sum, Welford* scratch) {
  for (int mask = 1; mask < 32; mask *= 2) sum.merge(shuffled(sum, mask));
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = scratch[0];
#pragma unroll
  for (int warp = 1; warp < kThreads / 32; ++warp) sum.merge(scratch[warp]);
  return sum;
}

template <typename T, typename Y, int Width>
__global__ __launch_bounds__(kThreads) void layernorm_kernel(const T* x, const float* gamma,
                                                             const float* beta, Y* y, float* means,
                                                             float* invstds, std::int64_t n) {
  __shared__ Welford scratch[kThreads / 32];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * n;
  Welford sum{};
  for (std::int64_t at = threadIdx.x * Width; at < n; at += kThreads * Width) {
    const Pack<float, Width> values = unpack(load<Width>(x + first + at));
#pragma unroll
    for (const float value : values.value) sum.add(value);
  }
  sum = merge_block(sum, scratch);
  const float invstd = rsqrtf(sum.squares / static_cast<float>(n) + kLayerNormEpsilon);
  for (std::int64_t at = threadIdx.x * Width; at < n; at += kThreads * Width) {
    Pack<float, Width> values = unpack(load<Width>(x + first + at));
    const Pack<float, Width> scale = load<Width>(gamma + at);
    const Pack<float, Width> shift = load<Width>(beta + at);
#pragma unroll
    for (int w = 0; w < Width; ++w) {
      values.value[w] = scale.value[w] * (invstd * (values.value[w] - sum.mean)) + shift.value[w];
    }
    store(y + first + at, packed<Y>(values));
  }
  if (threadIdx.x == 0) {
    means[blockIdx.x] = sum.mean;
    invstds[blockIdx.x] = invstd;
  }
}

template <typename T, typename Y, int Width>
__global__ __launch_bounds__(kThreads) void input_gradient_kernel(const T* dy, const T* x,
                                                                  const float* gamma,
                                                                  const float* means,
                                                                  const float* invstds, Y* dx,
                                                                  std::int64_t n) {
  __shared__ float scratch[kThreads / 32];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * n;
  const float mean = means[blockIdx.x];
  const float invstd = invstds[blockIdx.x];
  float sum = 0.0F;         // of g = dy gamma
  float sum_normal = 0.0F;  // of g x^
  for (std::int64_t at = threadIdx.x * Width; at < n; at += kThreads * Width) {
    const Pack<float, Width> gradients = unpack(load<Width>(dy + first + at));
    const Pack<float, Width> values = unpack(load<Width>(x + first + at));
    const Pack<float, Width> scale = load<Width>(gamma + at);
#pragma unroll
    for (int w = 0; w < Width; ++w) {
      const float g = gradients.value[w] * scale.value[w];
      sum += g;
      sum_normal += g * (values.value[w] - mean) * invstd;
    }
  }
  sum = block_sum(sum, scratch);
  sum_normal = block_sum(sum_normal, scratch);
  const float columns = static_cast<float>(n);
  const float factor = invstd / columns;
  for (std::int64_t at = threadIdx.x * Width; at < n; at += kThreads * Width) {
    const Pack<float, Width> gradients = unpack(load<Width>(dy + first + at));
    const Pack<float, Width> scale = load<Width>(gamma + at);
    Pack<float, Width> values = unpack(load<Width>(x + first + at));
#pragma unroll
    for (int w = 0; w < Width; ++w) {
      const float g = columns * gradients.value[w] * scale.value[w];
      values.value[w] = factor * (g - (values.value[w] - mean) * invstd * sum_normal - sum);
    }
    store(dx + first + at, packed<Y>(values));
  }
}

template <typename T>
__global__ __launch_bounds__(kTile* kTile) void parameter_gradient_kernel(
    const T* dy, const T* x, const float* means, const float* invstds, float* dgamma, float* dbeta,
    std::int64_t rows, std::int64_t n) {
  __shared__ float scratch[2][kTile][kTile + 1];
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kTile + lane;
  float sum_gamma = 0.0F;
  float sum_beta = 0.0F;
  for (std::int64_t first = threadIdx.y * kRowsOfThread; first < rows;
       first += kTile * kRowsOfThread) {
    // A lane reads a row's statistics for the whole warp.
    const bool reads = lane < kRowsOfThread && first + lane < rows;
    const float lane_mean = reads ? means[first + lane] : 0.0F;
    const float lane_invstd = reads ? invstds[first + lane] : 0.0F;
    float gradients[kRowsOfThread];
    float values[kRowsOfThread];
#pragma unroll
    for (int k = 0; k < kRowsOfThread; ++k) {
      const bool inside = first + k < rows && column < n;
      gradients[k] = inside ? to_float(dy[(first + k) * n + column]) : 0.0F;
      values[k] = inside ? to_float(x[(first + k) * n + column]) : 0.0F;
    }
#pragma unroll
    for (int k = 0; k < kRowsOfThread; ++k) {
      const float mean = __shfl_sync(kAllLanes, lane_mean, k);
      const float invstd = __shfl_sync(kAllLanes, lane_invstd, k);
      sum_beta += gradients[k];
      sum_gamma += gradients[k] * (values[k] - mean) * invstd;
    }
  }
  scratch[0][threadIdx.y][lane] = sum_gamma;
  scratch[1][threadIdx.y][lane] = sum_beta;
  __syncthreads();
  sum_gamma = warp_sum(scratch[0][lane][threadIdx.y]);
  sum_beta = warp_sum(scratch[1][lane][threadIdx.y]);
  const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.y;
  if (lane == 0 && own < n) {
    dgamma[own] = sum_gamma;
    dbeta[own] = sum_beta;
  }
}

template <typename T, typename Y, int Width>
KernelList forward(const MatrixShape& s, Buffers b) {
  KernelList list;
  add_kernel(list, "layernorm" + choices(type_text<T>, type_text<Y>, Width),
             layernorm_kernel<T, Y, Width>, blocks_for(s.m, 1), kThreads,
             static_cast<const T*>(b[0]), static_cast<const float*>(b[1]),
             static_cast<const float*>(b[2]), static_cast<Y*>(b[3]), static_cast<float*>(b[4]),
             static_cast<float*>(b[5]), s.n);
  return list;
}

template <typename T, typename Y, int Width>
KernelList backward(const MatrixShape& s, Buffers b) {
  KernelList list;
  const auto* dy = static_cast<const T*>(b[0]);
  const auto* x = static_cast<const T*>(b[1]);
  const auto* mean = static_cast<const float*>(b[3]);
  const auto* invstd = static_cast<const float*>(b[4]);
  add_kernel(list, "layernorm_input_gradient" + choices(type_text<T>, type_text<Y>, Width),
             input_gradient_kernel<T, Y, Width>, blocks_for(s.m, 1), kThreads, dy, x,
             static_cast<const float*>(b[2]), mean, invstd, static_cast<Y*>(b[5]), s.n);
  add_kernel(list, "layernorm_parameter_gradient" + choices(type_text<T>),
             parameter_gradient_kernel<T>, blocks_for(s.n, kTile), dim3(kTile, kTile), dy, x, mean,
             invstd, static_cast<float*>(b[6]), static_cast<float*>(b[7]), s.m, s.n);
  return list;
}

template <typename T, typename Y, int Width>
KernelList layernorm(const Op& op, Buffers b) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return op.family == Family::layernorm_fwd ? forward<T, Y, Width>(s, b)
                                            : backward<T, Y, Width>(s, b);
}

}  // namespace

KernelList layernorm_native(const Op& op, Buffers b, const cudaDeviceProp&) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return with_layernorm_types(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    using Y = typename decltype(out)::type;
    return s.n % 4 == 0 ? layernorm<T, Y, 4>(op, b) : layernorm<T, Y, 1>(op, b);
  });
}

}  // namespace stepcast
