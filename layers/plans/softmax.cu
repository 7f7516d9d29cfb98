// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/softmax.hpp"

#include <cmath>

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 4;

__device__ float to_float(float value) { return value; }
__device__ float to_float(__half value) { return __half2float(value); }
__device__ float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T>
__device__ T from_float(float value);
template <>
__device__ float from_float<float>(float value) {
  return value;
}
template <>
__device__ __half from_float<__half>(float value) {
  return __float2half(value);
}
template <>
__device__ __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16(value);
}

__device__ float warp_sum(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, distance);
  }
  return value;
}

__device__ float warp_max(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, distance));
  }
  return value;
}

/// One lane's share of a row: the columns lane, lane + 32, ... Held in registers where kHeld is
/// large enough for the row, and read again from memory where kHeld is 0.
template <typename T, int kHeld>
class Share {
 public:
  __device__ Share(const T* row, int columns, int lane)
      : row_(row), columns_(columns), lane_(lane) {
    for_each([&](int slot, int column) { held_[slot] = to_float(row_[column]); });
  }

  /// Calls visit(value, column) for each of the lane's columns.
  template <typename Visit>
  __device__ void visit(Visit visit) const {
    if constexpr (kHeld == 0) {
      for (int column = lane_; column < columns_; column += kWarp) {
        visit(to_float(row_[column]), column);
      }
    } else {
      for_each([&](int slot, int column) { visit(held_[slot], column); });
    }
  }

 private:
  template <typename Use>
  __device__ void for_each(Use use) const {
#pragma unroll
    for (int slot = 0; slot < kHeld; ++slot) {
      const int column = slot * kWarp + lane_;
      if (column < columns_) use(slot, column);
    }
  }

  const T* row_;
  int columns_;
  int lane_;
  mutable float held_[kHeld == 0 ? 1 : kHeld];
};

/// A warp a row.
template <typename T, int kHeld>
__global__ void softmax_forward_kernel(T* scores, float* log_sum, std::int64_t rows, int columns) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.x / kWarp;
  if (row >= rows) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  T* const first = scores + row * columns;
  const Share<T, kHeld> share(first, columns, lane);
  float largest = -INFINITY;
  share.visit([&](float score, int) { largest = fmaxf(largest, score); });
  largest = warp_max(largest);
  float sum = 0;
  share.visit([&](float score, int) { sum += expf(score - largest); });
  sum = warp_sum(sum);
  share.visit(
      [&](float score, int column) { first[column] = from_float<T>(expf(score - largest) / sum); });
  if (lane == 0) log_sum[row] = largest + logf(sum);
}

template <typename T, int kHeld>
__global__ void softmax_backward_kernel(T* gradient, const T* probabilities, std::int64_t rows,
                                        int columns) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarpsPerBlock + threadIdx.x / kWarp;
  if (row >= rows) return;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  T* const first = gradient + row * columns;
  const T* const probability = probabilities + row * columns;
  const Share<T, kHeld> share(first, columns, lane);
  float dot = 0;
  share.visit([&](float dp, int column) { dot += dp * to_float(probability[column]); });
  dot = warp_sum(dot);
  share.visit([&](float dp, int column) {
    first[column] = from_float<T>(to_float(probability[column]) * (dp - dot));
  });
}

unsigned int blocks(std::int64_t rows) {
  return static_cast<unsigned int>((rows + kWarpsPerBlock - 1) / kWarpsPerBlock);
}

}  // namespace

template <typename T>
void softmax_forward(T* scores, float* log_sum, std::int64_t rows, std::int64_t columns,
                     cudaStream_t stream) {
  const auto width = static_cast<int>(columns);
  const unsigned int grid = blocks(rows);
  constexpr int kThreads = kWarpsPerBlock * kWarp;
  if (columns <= 8 * kWarp) {
    softmax_forward_kernel<T, 8><<<grid, kThreads, 0, stream>>>(scores, log_sum, rows, width);
  } else if (columns <= 32 * kWarp) {
    softmax_forward_kernel<T, 32><<<grid, kThreads, 0, stream>>>(scores, log_sum, rows, width);
  } else {
    softmax_forward_kernel<T, 0><<<grid, kThreads, 0, stream>>>(scores, log_sum, rows, width);
  }
  check_launch("softmax_forward_kernel");
}

template <typename T>
void softmax_backward(T* gradient, const T* probabilities, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream) {
  const auto width = static_cast<int>(columns);
  const unsigned int grid = blocks(rows);
  constexpr int kThreads = kWarpsPerBlock * kWarp;
  if (columns <= 8 * kWarp) {
    softmax_backward_kernel<T, 8>
        <<<grid, kThreads, 0, stream>>>(gradient, probabilities, rows, width);
  } else if (columns <= 32 * kWarp) {
    softmax_backward_kernel<T, 32>
        <<<grid, kThreads, 0, stream>>>(gradient, probabilities, rows, width);
  } else {
    softmax_backward_kernel<T, 0>
        <<<grid, kThreads, 0, stream>>>(gradient, probabilities, rows, width);
  }
  check_launch("softmax_backward_kernel");
}

template void softmax_forward(float*, float*, std::int64_t, std::int64_t, cudaStream_t);
template void softmax_forward(__half*, float*, std::int64_t, std::int64_t, cudaStream_t);
template void softmax_forward(__nv_bfloat16*, float*, std::int64_t, std::int64_t, cudaStream_t);
template void softmax_backward(float*, const float*, std::int64_t, std::int64_t, cudaStream_t);
template void softmax_backward(__half*, const __half*, std::int64_t, std::int64_t, cudaStream_t);
template void softmax_backward(__nv_bfloat16*, const __nv_bfloat16*, std::int64_t, std::int64_t,
                               cudaStream_t);

}  // namespace stepcast
