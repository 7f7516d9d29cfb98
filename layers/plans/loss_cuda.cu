// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/elementwise.cuh"
#include "layers/plans/fast_div.cuh"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"
#include "layers/plans/loss.cuh"

namespace stepcast {
namespace {

constexpr int kThreads = 256;

/// One block a row; the last block adds the rows' losses in order.
template <typename T>
__global__ __launch_bounds__(kThreads) void cross_entropy_kernel(const T* logits,
                                                                 const std::int64_t* label,
                                                                 float* logprob, float* loss,
                                                                 float* row_loss, std::int64_t n,
                                                                 unsigned* counter) {
  __shared__ float scratch[32];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * n;
  log_softmax_row(logits + row, logprob + row, n, scratch);
  __syncthreads();  // another thread may have written the label's entry
  if (threadIdx.x == 0) row_loss[blockIdx.x] = -logprob[row + label[blockIdx.x]];
  if (!last_block(counter, gridDim.x)) return;
  float sum = 0.0F;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) sum += __ldcg(row_loss + i);
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) *loss = sum / static_cast<float>(gridDim.x);
}

/// dlogits = (exp(logprob) - one at the label) / m.
template <typename T>
__global__ __launch_bounds__(kThreads) void cross_entropy_gradient_kernel(
    const std::int64_t* label, const float* logprob, T* dlogits, std::int64_t count, float scale,
    FastDiv<std::uint64_t> columns) {
  constexpr int kWidth = 4;
  const std::int64_t first =
      (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kWidth;
  const auto gradient = [&](std::int64_t i, float logarithm) {
    auto column = static_cast<std::uint64_t>(i);
    const auto row = columns.divide(column);
    const float one = static_cast<std::int64_t>(column) == label[row] ? 1.0F : 0.0F;
    return (__expf(logarithm) - one) * scale;
  };
  if (first + kWidth <= count) {
    Pack<float, kWidth> values = load<kWidth>(logprob + first);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) values.value[i] = gradient(first + i, values.value[i]);
    store(dlogits + first, packed<T>(values));
  } else {
    for (std::int64_t i = first; i < count; ++i) {
      dlogits[i] = from_float<T>(gradient(i, logprob[i]));
    }
  }
}

template <typename T>
KernelList forward(const MatrixShape& s, Buffers b) {
  KernelList list;
  auto* row_loss = list.zeroed<float>(s.m);
  auto* counter = list.zeroed<unsigned>(1);
  add_kernel(list, "cross_entropy" + choices(type_text<T>), cross_entropy_kernel<T>,
             blocks_for(s.m, 1), kThreads, static_cast<const T*>(b[0]),
             static_cast<const std::int64_t*>(b[1]), static_cast<float*>(b[2]),
             static_cast<float*>(b[3]), row_loss, s.n, counter);
  return list;
}

template <typename T, typename Y>
KernelList backward(const MatrixShape& s, Buffers b) {
  KernelList list;
  list.prepare.push_back(bind_kernel("log_softmax", log_softmax_kernel<T>, blocks_for(s.m, 1),
                                     kThreads, static_cast<const T*>(b[0]),
                                     static_cast<float*>(b[2]), s.n));
  add_kernel(list, "cross_entropy_gradient" + choices(type_text<Y>),
             cross_entropy_gradient_kernel<Y>, blocks_for(s.m * s.n, kThreads * 4), kThreads,
             static_cast<const std::int64_t*>(b[1]), static_cast<const float*>(b[2]),
             static_cast<Y*>(b[3]), s.m * s.n, 1.0F / static_cast<float>(s.m),
             FastDiv<std::uint64_t>(s.n));
  return list;
}

}  // namespace

KernelList loss_cuda(const Op& op, Buffers b, const cudaDeviceProp&) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return with_real_pair(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    return op.family == Family::cross_entropy_fwd ? forward<T>(s, b)
                                                  : backward<T, typename decltype(out)::type>(s, b);
  });
}

}  // namespace stepcast
