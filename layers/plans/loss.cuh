// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the loss's kernels of both providers share: a row's logarithm of softmax.

#include "layers/plans/pack.cuh"
#include "layers/plans/reduce.cuh"

namespace stepcast {

/// logprob = x - max - log(sum(exp(x - max))) of one row, by a whole block.
template <typename T>
__device__ __forceinline__ void log_softmax_row(const T* logits, float* logprob, std::int64_t n,
                                                float* scratch) {
  float top = -INFINITY;
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    top = fmaxf(top, to_float(logits[i]));
  }
  top = block_max(top, scratch);
  float sum = 0.0F;
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    sum += expf(to_float(logits[i]) - top);
  }
  const float shift = top + logf(block_sum(sum, scratch));
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    logprob[i] = to_float(logits[i]) - shift;
  }
}

/// One block a row.
template <typename T>
__global__ __launch_bounds__(256) void log_softmax_kernel(const T* logits, float* logprob,
                                                          std::int64_t n) {
  __shared__ float scratch[32];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * n;
  log_softmax_row(logits + row, logprob + row, n, scratch);
}

}  // namespace stepcast
