// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/batchnorm_native.cuh"

namespace stepcast {
namespace {

/// Threads along a plane: the least of 32, 64, ... 512 that covers `count`, else 512.
int threads_for(std::int64_t count) {
  int threads = 32;
  while (threads < kNativeThreads && threads < count) threads *= 2;
  return threads;
}

/// A block a channel: threads along the plane, and along images where the plane is small.
dim3 channel_block(std::int64_t plane) {
  const int x = threads_for(plane);
  return {static_cast<unsigned>(x), static_cast<unsigned>(std::max(1, kNativeThreads / x))};
}

/// Calls each(offset) for a thread's elements of a channel.
template <typename Each>
__device__ __forceinline__ void for_channel(std::int64_t images, std::int64_t channels,
                                            std::int64_t channel, std::int64_t plane,
                                            std::int64_t first_image, std::int64_t image_step,
                                            Each each) {
  for (std::int64_t image = first_image; image < images; image += image_step) {
    const std::int64_t start = (image * channels + channel) * plane;
    for (std::int64_t at = threadIdx.x; at < plane; at += blockDim.x) each(start + at);
  }
}

__device__ __forceinline__ GradientPair shuffled(const GradientPair& sum, int mask) {
  GradientPair other;
  other.dy = __shfl_xor_sync(kAllLanes, sum.dy, mask);
  other.dy_x = __shfl_xor_sync(kAllLanes, sum.dy_x, mask);
  return other;
}

/// Merges a block's sums, in all of its threads.
template <typename Sum>
__device__ __forceinline__ Sum merge_block(Sum sum, Sum* scratch) {
  const unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned warps = blockDim.x * blockDim.y / 32;
  for (int mask = 1; mask < 32; mask *= 2) sum.merge(shuffled(sum, mask));
  if (tid % 32 == 0) scratch[tid / 32] = sum;
  __syncthreads();
  sum = tid % 32 < warps ? scratch[tid % 32] : Sum{};
  for (int mask = 1; mask < 32; mask *= 2) sum.merge(shuffled(sum, mask));
  return sum;
}

template <typename T>
__global__ __launch_bounds__(kNativeThreads) void statistics_kernel(const T* x, float* mean,
                                                                    float* variance,
                                                                    std::int64_t images,
                                                                    std::int64_t plane) {
  __shared__ Welford scratch[kNativeThreads / 32];
  Welford sum{};
  for_channel(images, gridDim.x, blockIdx.x, plane, threadIdx.y, blockDim.y,
              [&](std::int64_t at) { sum.add(to_float(x[at])); });
  sum = merge_block(sum, scratch);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    mean[blockIdx.x] = sum.mean;
    variance[blockIdx.x] = sum.squares / sum.count;
  }
}

template <typename T>
__global__ __launch_bounds__(kNativeThreads) void transform_kernel(
    const T* x, T* y, const float* gamma, const float* beta, const float* mean, const float* invstd,
    std::int64_t images, std::int64_t plane) {
  const unsigned channel = blockIdx.x;
  const float center = mean[channel];
  const float scale = gamma[channel] * invstd[channel];
  const float shift = beta[channel];
  for_channel(images, gridDim.x, channel, plane, blockIdx.y * blockDim.y + threadIdx.y,
              gridDim.y * blockDim.y, [&](std::int64_t at) {
                y[at] = from_float<T>(scale * (to_float(x[at]) - center) + shift);
              });
}

/// All of the backward pass: a block reads its channel twice.
template <typename T>
__global__ __launch_bounds__(kNativeThreads) void backward_kernel(
    const T* dy, const T* x, T* dx, const float* gamma, const float* mean, const float* invstd,
    float* dgamma, float* dbeta, std::int64_t images, std::int64_t plane) {
  __shared__ GradientPair scratch[kNativeThreads / 32];
  const unsigned channel = blockIdx.x;
  const float center = mean[channel];
  const float inverse = invstd[channel];
  GradientPair sum{};
  for_channel(images, gridDim.x, channel, plane, threadIdx.y, blockDim.y, [&](std::int64_t at) {
    const float gradient = to_float(dy[at]);
    sum.dy += gradient;
    sum.dy_x += gradient * (to_float(x[at]) - center);
  });
  sum = merge_block(sum, scratch);
  const float count = static_cast<float>(images * plane);
  const float mean_dy = sum.dy / count;
  const float slope = inverse * inverse * sum.dy_x / count;
  const float scale = gamma[channel] * inverse;
  for_channel(images, gridDim.x, channel, plane, threadIdx.y, blockDim.y, [&](std::int64_t at) {
    const float gradient = to_float(dy[at]) - mean_dy - (to_float(x[at]) - center) * slope;
    dx[at] = from_float<T>(gradient * scale);
  });
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    dbeta[channel] = sum.dy;
    dgamma[channel] = sum.dy_x * inverse;
  }
}

template <typename T>
KernelList forward(const ImageShape& s, const BatchNormForward& o) {
  const std::int64_t plane = s.h * s.w;
  const std::string types = choices(type_text<T>);
  const auto* x = static_cast<const T*>(o.x);
  const unsigned channels = blocks_for(s.c, 1);
  KernelList list;
  add_kernel(list, "batchnorm_statistics_nchw" + types, statistics_kernel<T>, channels,
             channel_block(plane), x, o.save_mean, o.save_invstd, s.n, plane);
  add_update_statistics(list, s, o);
  const int along_plane = std::max(threads_for(plane / 4), std::min(threads_for(plane), 64));
  const int along_images = std::max(64 / along_plane, 1);
  const std::int64_t slices = std::clamp<std::int64_t>((s.n + along_images - 1) / along_images, 1,
                                                       std::max<std::int64_t>(1, 262144 / s.c));
  add_kernel(list, "batchnorm_transform_nchw" + types, transform_kernel<T>,
             dim3(channels, static_cast<unsigned>(std::min<std::int64_t>(slices, 65535))),
             dim3(static_cast<unsigned>(along_plane), static_cast<unsigned>(along_images)), x,
             static_cast<T*>(o.y), o.gamma, o.beta, o.save_mean, o.save_invstd, s.n, plane);
  return list;
}

template <typename T>
KernelList backward(const ImageShape& s, const BatchNormBackward& o) {
  const std::int64_t plane = s.h * s.w;
  KernelList list;
  add_kernel(list, "batchnorm_backward_nchw" + choices(type_text<T>), backward_kernel<T>,
             blocks_for(s.c, 1), channel_block(plane), static_cast<const T*>(o.dy),
             static_cast<const T*>(o.x), static_cast<T*>(o.dx), o.gamma, o.mean, o.invstd, o.dgamma,
             o.dbeta, s.n, plane);
  return list;
}

}  // namespace

KernelList batchnorm_native_nchw(const Op& op, Buffers buffers) {
  const auto& s = std::get<ImageShape>(op.shape);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return op.family == Family::batchnorm_fwd
               ? forward<T>(s, BatchNormForward(buffers, op.epilogue))
               : backward<T>(s, BatchNormBackward(buffers, op.epilogue));
  });
}

}  // namespace stepcast
