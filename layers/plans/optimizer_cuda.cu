// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/optimizer.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr int kUnroll = 2;
constexpr int kWidth = 4;
constexpr int kTile = kThreads * kUnroll * kWidth;

/// momentum = 0.9 momentum + gradient; weight -= lr momentum.
__device__ __forceinline__ void step(float& weight, float gradient, float& momentum) {
  momentum = fmaf(kMomentum, momentum, gradient);
  weight = fmaf(-kLearningRate, momentum, weight);
}

__global__ __launch_bounds__(kThreads, 4) void sgd_kernel(float* weight, const float* gradient,
                                                          float* momentum, std::int64_t n) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t first = tile + threadIdx.x * kWidth;
  if (tile + kTile > n) {
    for (std::int64_t i = tile + threadIdx.x; i < n; i += kThreads) {
      step(weight[i], gradient[i], momentum[i]);
    }
    return;
  }
  Pack<float, kWidth> w[kUnroll];
  Pack<float, kWidth> g[kUnroll];
  Pack<float, kWidth> m[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t at = first + u * (kThreads * kWidth);
    g[u] = load<kWidth>(gradient + at);
    m[u] = load<kWidth>(momentum + at);
    w[u] = load<kWidth>(weight + at);
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t at = first + u * (kThreads * kWidth);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) step(w[u].value[i], g[u].value[i], m[u].value[i]);
    store(momentum + at, m[u]);
    store(weight + at, w[u]);
  }
}

__global__ __launch_bounds__(kThreads, 4) void unscale_kernel(float* gradient, float* found_inf,
                                                              std::int64_t n) {
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t first = tile + threadIdx.x * kWidth;
  bool finite = true;
  if (tile + kTile > n) {
    for (std::int64_t i = tile + threadIdx.x; i < n; i += kThreads) {
      finite = unscale(gradient[i]) && finite;
    }
  } else {
    Pack<float, kWidth> g[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) g[u] = load<kWidth>(gradient + first + u * kThreads * kWidth);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (float& value : g[u].value) finite = unscale(value) && finite;
      store(gradient + first + u * kThreads * kWidth, g[u]);
    }
  }
  if (!finite) *found_inf = 1.0F;
}

}  // namespace

KernelList optimizer_cuda(const Op& op, Buffers b, const cudaDeviceProp&) {
  if (op.in != DType::fp32 || op.out != DType::fp32) return refuse_types(op);
  const std::int64_t n = std::get<TensorsShape>(op.shape).e;
  KernelList list;
  if (op.family == Family::sgd) {
    add_kernel(list, "sgd<fp32>", sgd_kernel, blocks_for(n, kTile), kThreads,
               static_cast<float*>(b[0]), static_cast<const float*>(b[1]),
               static_cast<float*>(b[2]), n);
  } else {
    add_kernel(list, "unscale<fp32>", unscale_kernel, blocks_for(n, kTile), kThreads,
               static_cast<float*>(b[0]), static_cast<float*>(b[1]), n);
  }
  return list;
}

}  // namespace stepcast
