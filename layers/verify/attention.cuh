// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention's kernels in double beside the products: rows of scores, and what products end with.

#include <cmath>
#include <cstdint>

#include "layers/verify/product_kernel.cuh"
#include "layers/verify/tally.cuh"

namespace stepcast {

constexpr unsigned kRowThreads = 256;  // a warp for each row

__device__ __forceinline__ double lanes_sum(double value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffffU, value, mask);
  return value;
}

__device__ __forceinline__ double lanes_max(double value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    value = fmax(value, __shfl_xor_sync(0xffffffffU, value, mask));
  }
  return value;
}

/// Makes probabilities of `rows` rows of s scores. The logarithms of the sums are compared; the
/// first row's lies at `first`.
inline __global__ void softmax_rows(double* scores, std::int64_t rows, std::int64_t s,
                                    Target<float> stats, std::int64_t first) {
  Comparer<float> comparer(stats);
  const unsigned lane = threadIdx.x % 32;
  const std::int64_t step = std::int64_t{gridDim.x} * (blockDim.x / 32);
  for (std::int64_t row = std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       row < rows; row += step) {
    double* values = scores + row * s;
    double largest = -INFINITY;
    for (std::int64_t j = lane; j < s; j += 32) largest = fmax(largest, values[j]);
    largest = lanes_max(largest);
    double sum = 0;
    for (std::int64_t j = lane; j < s; j += 32) sum += exp(values[j] - largest);
    const double stat = largest + log(lanes_sum(sum));
    for (std::int64_t j = lane; j < s; j += 32) values[j] = exp(values[j] - stat);
    if (lane == 0) comparer.compare(first + row, stat);
  }
  comparer.merge();
}

/// dots[head, i] = sum over e of x[i, e] y[i, e]: rows of d elements, of s tokens in each head.
template <typename T>
__global__ void dot_rows(const T* x, const T* y, const __grid_constant__ Axis heads,
                         std::int64_t tokens_stride, std::int64_t rows, std::int64_t s,
                         std::int64_t d, double* dots) {
  const unsigned lane = threadIdx.x % 32;
  const std::int64_t step = std::int64_t{gridDim.x} * (blockDim.x / 32);
  for (std::int64_t row = std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
       row < rows; row += step) {
    const std::int64_t head = row / s;
    const std::int64_t at = place(heads, head, head + 1).at + row % s * tokens_stride;
    double sum = 0;
    for (std::int64_t e = lane; e < d; e += 32) sum += to_double(x[at + e]) * to_double(y[at + e]);
    sum = lanes_sum(sum);
    if (lane == 0) dots[row] = sum;
  }
}

/// What one thread does with results that are only stored.
template <typename Epilogue>
struct Storing {
  const Epilogue& epilogue;

  __device__ __forceinline__ void take(std::int64_t head, std::int64_t row, std::int64_t,
                                       std::int64_t at, double value) const {
    epilogue.store(head, row, at, value);
  }
  __device__ __forceinline__ void end() const {}
};

/// Scores: scale q k^T.
struct StoreScores {
  double* scores;
  double scale;

  __device__ __forceinline__ void store(std::int64_t, std::int64_t, std::int64_t at,
                                        double value) const {
    scores[at] = scale * value;
  }
  __device__ __forceinline__ Storing<StoreScores> begin() const { return {*this}; }
};

/// Probabilities: exp(scale q k^T - stats[head, row]).
struct StoreProbabilities {
  double* probabilities;
  const float* stats;
  std::int64_t s;
  double scale;

  __device__ __forceinline__ void store(std::int64_t head, std::int64_t row, std::int64_t at,
                                        double value) const {
    probabilities[at] = exp(scale * value - to_double(stats[head * s + row]));
  }
  __device__ __forceinline__ Storing<StoreProbabilities> begin() const { return {*this}; }
};

/// Gradients of the scores: scale p (do v^T - dots[head, row]).
struct StoreGradients {
  double* gradients;
  const double* probabilities;
  const double* dots;
  std::int64_t s;
  double scale;

  __device__ __forceinline__ void store(std::int64_t head, std::int64_t row, std::int64_t at,
                                        double value) const {
    gradients[at] = scale * probabilities[at] * (value - dots[head * s + row]);
  }
  __device__ __forceinline__ Storing<StoreGradients> begin() const { return {*this}; }
};

/// Results that are compared.
template <typename T>
struct CompareTokens {
  Target<T> target;

  struct State {
    Comparer<T> comparer;

    __device__ __forceinline__ void take(std::int64_t, std::int64_t, std::int64_t, std::int64_t at,
                                         double value) {
      comparer.compare(at, value);
    }
    __device__ __forceinline__ void end() { comparer.merge(); }
  };

  __device__ __forceinline__ State begin() const { return {Comparer<T>(target)}; }
};

}  // namespace stepcast
