// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/elementwise.cuh"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/loss.cuh"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr int kLossThreads = 32;  // PyTorch's nll_loss forward: one block of one warp

/// loss = -(mean of the labels' entries), by one block.
__global__ void nll_loss_kernel(const std::int64_t* label, const float* logprob, float* loss,
                                std::int64_t m, std::int64_t n) {
  float sum = 0.0F;
  for (std::int64_t row = threadIdx.x; row < m; row += kLossThreads) {
    sum -= logprob[row * n + label[row]];
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) *loss = sum / static_cast<float>(m);
}

/// The loss's gradient by logprob: -1 / m at the label, 0 elsewhere. One block a row. (PyTorch
/// writes the labels' entries alone, after a zero fill that is an op of its own; here the kernel
/// writes all, so that the op's result depends on no other.)
__global__ void nll_gradient_kernel(const std::int64_t* label, float* gradient, float scale,
                                    std::int64_t n) {
  float* row = gradient + static_cast<std::int64_t>(blockIdx.x) * n;
  const std::int64_t place = label[blockIdx.x];
  for (std::int64_t i = threadIdx.x; i < n; i += kThreads) row[i] = i == place ? -scale : 0.0F;
}

/// dx = g - exp(logprob) sum(g) of each row. One block a row.
template <typename T>
__global__ __launch_bounds__(kThreads) void log_softmax_gradient_kernel(const float* gradient,
                                                                        const float* logprob, T* dx,
                                                                        std::int64_t n) {
  __shared__ float scratch[32];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * n;
  float sum = 0.0F;
  for (std::int64_t i = threadIdx.x; i < n; i += kThreads) sum += gradient[row + i];
  sum = block_sum(sum, scratch);
  for (std::int64_t i = threadIdx.x; i < n; i += kThreads) {
    dx[row + i] = from_float<T>(gradient[row + i] - expf(logprob[row + i]) * sum);
  }
}

template <typename T>
KernelList::Launch log_softmax(const MatrixShape& s, const void* logits, void* logprob) {
  return bind_kernel("log_softmax" + choices(type_text<T>), log_softmax_kernel<T>,
                     blocks_for(s.m, 1), kThreads, static_cast<const T*>(logits),
                     static_cast<float*>(logprob), s.n);
}

template <typename T>
KernelList forward(const MatrixShape& s, Buffers b) {
  KernelList list;
  list.add("log_softmax" + choices(type_text<T>), log_softmax<T>(s, b[0], b[2]));
  add_kernel(list, "nll_loss", nll_loss_kernel, 1, kLossThreads,
             static_cast<const std::int64_t*>(b[1]), static_cast<const float*>(b[2]),
             static_cast<float*>(b[3]), s.m, s.n);
  return list;
}

template <typename T, typename Y>
KernelList backward(const MatrixShape& s, Buffers b) {
  KernelList list;
  list.prepare.push_back(log_softmax<T>(s, b[0], b[2]));
  auto* gradient = list.zeroed<float>(s.m * s.n);
  add_kernel(list, "nll_gradient", nll_gradient_kernel, blocks_for(s.m, 1), kThreads,
             static_cast<const std::int64_t*>(b[1]), gradient, 1.0F / static_cast<float>(s.m), s.n);
  add_kernel(list, "log_softmax_gradient" + choices(type_text<Y>), log_softmax_gradient_kernel<Y>,
             blocks_for(s.m, 1), kThreads, gradient, static_cast<const float*>(b[2]),
             static_cast<Y*>(b[3]), s.n);
  return list;
}

}  // namespace

KernelList loss_native(const Op& op, Buffers b, const cudaDeviceProp&) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return with_real_pair(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    return op.family == Family::cross_entropy_fwd ? forward<T>(s, b)
                                                  : backward<T, typename decltype(out)::type>(s, b);
  });
}

}  // namespace stepcast
