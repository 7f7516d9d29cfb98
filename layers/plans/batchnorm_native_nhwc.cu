// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/batchnorm_native.cuh"

namespace stepcast {
namespace {

// One element a thread, channels along x, rows along y, four rows in flight; at least 16 rows a
// thread, at most 128 blocks along y.
constexpr int kInFlight = 4;
constexpr std::int64_t kRowsOfThread = 16;
constexpr std::int64_t kMaxSlices = 128;
constexpr int kTileWidth = 32;

struct Shape {
  dim3 grid;
  dim3 block;
};

/// `together`: the blocks along y add to one sum, which fewer than 8 of them are not worth.
Shape launch_shape(std::int64_t rows, std::int64_t channels, bool together) {
  const int widest = last_power_of_two(channels);
  int x = std::min(widest, kTileWidth);
  const int y =
      std::min(last_power_of_two((rows + kRowsOfThread - 1) / kRowsOfThread), kNativeThreads / x);
  if (x * y != kNativeThreads) x = std::min(widest, kNativeThreads / y);
  const std::int64_t each = y * kRowsOfThread;
  std::int64_t slices = std::min((rows + each - 1) / each, kMaxSlices);
  if (together && slices < 8) slices = 1;
  return {dim3(blocks_for(channels, x), static_cast<unsigned>(slices)),
          dim3(static_cast<unsigned>(x), static_cast<unsigned>(y))};
}

/// Merges the threads of a column of the block into its first thread.
template <typename Sum>
__device__ __forceinline__ void merge_column(Sum& sum, Sum* scratch) {
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y >= half && threadIdx.y < 2 * half) scratch[at] = sum;
    __syncthreads();
    if (threadIdx.y < half) sum.merge(scratch[at + half * blockDim.x]);
  }
}

/// Merges the blocks along y. True in the thread that then holds the whole sum of a channel.
template <typename Sum>
__device__ __forceinline__ bool merge_blocks(Sum& sum, Sum* scratch, Sum* partials,
                                             unsigned* counters, std::int64_t channel,
                                             std::int64_t channels) {
  merge_column(sum, scratch);
  if (gridDim.y > 1) {
    if (threadIdx.y == 0 && channel < channels) partials[blockIdx.y * channels + channel] = sum;
    if (!last_block(counters + blockIdx.x, gridDim.y)) return false;
    sum = Sum{};
    for (unsigned y = threadIdx.y; y < gridDim.y && channel < channels; y += blockDim.y) {
      sum.merge(fresh(partials + y * channels + channel));
    }
    merge_column(sum, scratch);
  }
  return threadIdx.y == 0 && channel < channels;
}

/// Calls load(k, row), then use(k, row), for a thread's rows, four at a time.
template <typename Load, typename Use>
__device__ __forceinline__ void for_rows(std::int64_t rows, Load load, Use use) {
  const std::int64_t stride = static_cast<std::int64_t>(blockDim.y) * gridDim.y;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  for (; row < rows; row += stride * kInFlight) {
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      if (row + k * stride < rows) load(k, row + k * stride);
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      if (row + k * stride < rows) use(k, row + k * stride);
    }
  }
}

template <typename T>
__global__ __launch_bounds__(kNativeThreads) void statistics_kernel(
    const T* x, float* mean, float* variance, std::int64_t rows, std::int64_t channels,
    Welford* partials, unsigned* counters) {
  __shared__ Welford scratch[kNativeThreads];
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Welford sums[kInFlight] = {};
  if (channel < channels) {
    float values[kInFlight];
    for_rows(
        rows, [&](int k, std::int64_t row) { values[k] = to_float(x[row * channels + channel]); },
        [&](int k, std::int64_t) { sums[k].add(values[k]); });
  }
#pragma unroll
  for (int k = 1; k < kInFlight; ++k) sums[0].merge(sums[k]);
  if (merge_blocks(sums[0], scratch, partials, counters, channel, channels)) {
    mean[channel] = sums[0].mean;
    variance[channel] = sums[0].squares / sums[0].count;
  }
}

template <typename T>
__global__ __launch_bounds__(kNativeThreads) void transform_kernel(
    const T* x, T* y, const float* gamma, const float* beta, const float* mean, const float* invstd,
    std::int64_t rows, std::int64_t channels) {
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const float center = mean[channel];
  const float scale = gamma[channel] * invstd[channel];
  const float shift = beta[channel];
  T values[kInFlight];
  for_rows(
      rows, [&](int k, std::int64_t row) { values[k] = x[row * channels + channel]; },
      [&](int k, std::int64_t row) {
        y[row * channels + channel] = from_float<T>(scale * (to_float(values[k]) - center) + shift);
      });
}

template <typename T>
__global__ __launch_bounds__(kNativeThreads) void gradient_sums_kernel(
    const T* dy, const T* x, const float* mean, const float* invstd, float* dgamma, float* dbeta,
    std::int64_t rows, std::int64_t channels, GradientPair* partials, unsigned* counters) {
  __shared__ GradientPair scratch[kNativeThreads];
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  GradientPair sums[kInFlight] = {};
  if (channel < channels) {
    const float center = mean[channel];
    T gradients[kInFlight];
    T values[kInFlight];
    for_rows(
        rows,
        [&](int k, std::int64_t row) {
          values[k] = x[row * channels + channel];
          gradients[k] = dy[row * channels + channel];
        },
        [&](int k, std::int64_t) {
          const float gradient = to_float(gradients[k]);
          sums[k].dy += gradient;
          sums[k].dy_x += gradient * (to_float(values[k]) - center);
        });
  }
#pragma unroll
  for (int k = 1; k < kInFlight; ++k) sums[0].merge(sums[k]);
  if (merge_blocks(sums[0], scratch, partials, counters, channel, channels)) {
    dbeta[channel] = sums[0].dy;
    dgamma[channel] = sums[0].dy_x * invstd[channel];
  }
}

template <typename T>
__global__ __launch_bounds__(kNativeThreads) void input_gradient_kernel(
    const T* dy, const T* x, T* dx, const float* gamma, const float* mean, const float* invstd,
    const float* dgamma, const float* dbeta, std::int64_t rows, std::int64_t channels) {
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  const float count = static_cast<float>(rows);
  const float center = mean[channel];
  const float mean_dy = dbeta[channel] / count;
  const float slope = invstd[channel] * dgamma[channel] / count;
  const float scale = gamma[channel] * invstd[channel];
  T gradients[kInFlight];
  T values[kInFlight];
  for_rows(
      rows,
      [&](int k, std::int64_t row) {
        values[k] = x[row * channels + channel];
        gradients[k] = dy[row * channels + channel];
      },
      [&](int k, std::int64_t row) {
        const float gradient =
            to_float(gradients[k]) - mean_dy - (to_float(values[k]) - center) * slope;
        dx[row * channels + channel] = from_float<T>(gradient * scale);
      });
}

/// Partials and counters of a launch whose blocks along y add to one sum.
template <typename Sum>
struct Staging {
  Sum* partials = nullptr;
  unsigned* counters = nullptr;

  Staging(KernelList& list, const Shape& shape, std::int64_t channels) {
    if (shape.grid.y == 1) return;
    partials = list.zeroed<Sum>(shape.grid.y * channels);
    counters = list.zeroed<unsigned>(shape.grid.x);
  }
};

template <typename T>
KernelList forward(const ImageShape& s, const BatchNormForward& o) {
  const std::int64_t rows = s.n * s.h * s.w;
  const Shape sums = launch_shape(rows, s.c, true);
  const Shape pass = launch_shape(rows, s.c, false);
  const std::string types = choices(type_text<T>);
  const auto* x = static_cast<const T*>(o.x);
  KernelList list;
  const Staging<Welford> staging(list, sums, s.c);
  add_kernel(list, "batchnorm_statistics_nhwc" + types, statistics_kernel<T>, sums.grid, sums.block,
             x, o.save_mean, o.save_invstd, rows, s.c, staging.partials, staging.counters);
  add_update_statistics(list, s, o);
  add_kernel(list, "batchnorm_transform_nhwc" + types, transform_kernel<T>, pass.grid, pass.block,
             x, static_cast<T*>(o.y), o.gamma, o.beta, o.save_mean, o.save_invstd, rows, s.c);
  return list;
}

template <typename T>
KernelList backward(const ImageShape& s, const BatchNormBackward& o) {
  const std::int64_t rows = s.n * s.h * s.w;
  const Shape sums = launch_shape(rows, s.c, true);
  const Shape pass = launch_shape(rows, s.c, false);
  const std::string types = choices(type_text<T>);
  const auto* dy = static_cast<const T*>(o.dy);
  const auto* x = static_cast<const T*>(o.x);
  KernelList list;
  const Staging<GradientPair> staging(list, sums, s.c);
  add_kernel(list, "batchnorm_gradient_sums_nhwc" + types, gradient_sums_kernel<T>, sums.grid,
             sums.block, dy, x, o.mean, o.invstd, o.dgamma, o.dbeta, rows, s.c, staging.partials,
             staging.counters);
  add_kernel(list, "batchnorm_input_gradient_nhwc" + types, input_gradient_kernel<T>, pass.grid,
             pass.block, dy, x, static_cast<T*>(o.dx), o.gamma, o.mean, o.invstd, o.dgamma, o.dbeta,
             rows, s.c);
  return list;
}

}  // namespace

KernelList batchnorm_native_nhwc(const Op& op, Buffers buffers) {
  const auto& s = std::get<ImageShape>(op.shape);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return op.family == Family::batchnorm_fwd
               ? forward<T>(s, BatchNormForward(buffers, op.epilogue))
               : backward<T>(s, BatchNormBackward(buffers, op.epilogue));
  });
}

}  // namespace stepcast
