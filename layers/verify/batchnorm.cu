// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/batchnorm.cuh"

#include <variant>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/channel_sums.cuh"
#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

constexpr double kEps = 1e-5;
constexpr double kMomentum = 0.1;

ChannelView image_view(const Op& op) {
  const auto& s = std::get<ImageShape>(op.shape);
  if (op.layout == Layout::nhwc) return {s.n * s.h * s.w, s.c, 1};
  return {s.n, s.c, s.h * s.w};
}

template <typename T>
struct ValueTerms : NoState {
  static constexpr int kSums = 1;

  const T* x;

  explicit ValueTerms(const T* values) : x(values) {}
  __device__ __forceinline__ T read(const Element& element) const { return x[element.index]; }
  __device__ __forceinline__ void add(T value, State, double (&sums)[kSums]) const {
    sums[0] += to_double(value);
  }
};

/// Squares of the deviations from the mean.
template <typename T>
struct SquareTerms {
  static constexpr int kSums = 1;
  using State = double;

  const T* x;
  const double* sum;
  double count;

  __device__ __forceinline__ State state(std::int64_t channel) const {
    return sum[channel] / count;
  }
  __device__ __forceinline__ T read(const Element& element) const { return x[element.index]; }
  __device__ __forceinline__ void add(T value, State mean, double (&sums)[kSums]) const {
    const double deviation = to_double(value) - mean;
    sums[0] += deviation * deviation;
  }
};

/// A channel's statistics, from its sums.
struct Statistics {
  const double *sum, *squares;
  double count;

  __device__ __forceinline__ double mean(std::int64_t channel) const {
    return sum[channel] / count;
  }
  __device__ __forceinline__ double variance(std::int64_t channel) const {
    return squares[channel] / count;
  }
  __device__ __forceinline__ double invstd(std::int64_t channel) const {
    return 1.0 / sqrt(variance(channel) + kEps);
  }
};

/// y = (x - mean) invstd gamma + beta, then + z, then ReLU, as the epilogue says.
template <typename T>
struct Normalized {
  struct State {
    double mean, scale, beta;
  };
  struct Operands {
    T x, z;
  };

  const T* x;
  const T* z;  // null without a residual
  const float* gamma;
  const float* beta;
  Statistics statistics;
  bool relu;

  __device__ __forceinline__ State state(std::int64_t channel) const {
    return {statistics.mean(channel), statistics.invstd(channel) * gamma[channel], beta[channel]};
  }
  __device__ __forceinline__ Operands read(const Element& element) const {
    return {x[element.index], z != nullptr ? z[element.index] : T{}};
  }
  __device__ __forceinline__ double want(const Operands& operands, const State& s) const {
    double y = (to_double(operands.x) - s.mean) * s.scale + s.beta;
    if (z != nullptr) y += to_double(operands.z);
    return relu && y < 0.0 ? 0.0 : y;
  }
};

__global__ __launch_bounds__(kWalkThreads) void compare_statistics(
    std::int64_t channels, Statistics statistics, const float* old_mean, const float* old_var,
    Target<float> mean, Target<float> invstd, Target<float> running_mean,
    Target<float> running_var) {
  Comparer<float> means(mean), invstds(invstd), running_means(running_mean),
      running_vars(running_var);
  const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * kWalkThreads + threadIdx.x;
  if (c < channels) {
    const double count = statistics.count;
    const double unbiased = statistics.variance(c) * (count / fmax(count - 1.0, 1.0));
    means.compare(c, statistics.mean(c));
    invstds.compare(c, statistics.invstd(c));
    running_means.compare(c, (1.0 - kMomentum) * old_mean[c] + kMomentum * statistics.mean(c));
    running_vars.compare(c, (1.0 - kMomentum) * old_var[c] + kMomentum * unbiased);
  }
  means.merge();
  invstds.merge();
  running_means.merge();
  running_vars.merge();
}

template <typename T, typename Y>
void verify_forward(const VerifyCase& checked, const ChannelView& view) {
  const DeviceBuffer<double> totals(static_cast<std::size_t>(2 * view.channels));
  double* sum = totals.data();
  double* squares = sum + view.channels;
  const auto count = static_cast<double>(view.outer * view.inner);
  const Statistics statistics{sum, squares, count};
  const auto* x = input<T>(checked, "x");
  const bool residual = checked.op.epilogue == Epilogue::add_relu;
  sum_channels(view, ValueTerms<T>(x), sum, checked.stream);
  sum_channels(view, SquareTerms<T>{x, sum, count}, squares, checked.stream);
  compare_all<Y>(checked, "y", view,
                 Normalized<T>{x, residual ? input<T>(checked, "z") : nullptr,
                               input<float>(checked, "gamma"), input<float>(checked, "beta"),
                               statistics, checked.op.epilogue != Epilogue::none});
  const auto blocks = static_cast<unsigned>((view.channels + kWalkThreads - 1) / kWalkThreads);
  compare_statistics<<<blocks, kWalkThreads, 0, checked.stream>>>(
      view.channels, statistics, initial<float>(checked, "running_mean"),
      initial<float>(checked, "running_var"), target<float>(checked, "save_mean"),
      target<float>(checked, "save_invstd"), target<float>(checked, "running_mean"),
      target<float>(checked, "running_var"));
  check_launch("compare_statistics");
  check(cudaStreamSynchronize(checked.stream), "computing a batch norm's reference");
}

}  // namespace

void verify_batchnorm(const VerifyCase& checked) {
  const ChannelView view = image_view(checked.op);
  if (checked.op.family == Family::batchnorm_bwd) return verify_batchnorm_backward(checked, view);
  with_real_type(checked.op.in, [&](auto in) {
    with_real_type(checked.op.out, [&](auto out) {
      verify_forward<typename decltype(in)::type, typename decltype(out)::type>(checked, view);
    });
  });
}

}  // namespace stepcast
