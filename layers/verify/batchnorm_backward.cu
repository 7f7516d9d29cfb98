// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/device_buffer.hpp"
#include "layers/verify/batchnorm.cuh"
#include "layers/verify/channel_sums.cuh"
#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

/// A channel's mean and 1 / standard deviation, as the forward pass gave them.
struct Saved {
  const float *mean, *invstd;
};

template <typename T>
struct Gradient {
  T dy, x, y;
};

/// What all of the backward pass reads. y is null without ReLU.
template <typename T>
struct Gradients {
  const T *dy, *x, *y;

  __device__ __forceinline__ Gradient<T> read(const Element& element) const {
    const std::int64_t i = element.index;
    return {dy[i], x[i], y != nullptr ? y[i] : T{}};
  }
  /// dy, or 0 where ReLU gave 0.
  __device__ __forceinline__ double masked(const Gradient<T>& gradient) const {
    return y == nullptr || to_double(gradient.y) > 0.0 ? to_double(gradient.dy) : 0.0;
  }
};

/// Sums of g and of g x^, that is dbeta and dgamma.
template <typename T>
struct GradientTerms {
  static constexpr int kSums = 2;
  struct State {
    double mean, invstd;
  };

  Gradients<T> gradients;
  Saved saved;

  __device__ __forceinline__ State state(std::int64_t channel) const {
    return {saved.mean[channel], saved.invstd[channel]};
  }
  __device__ __forceinline__ Gradient<T> read(const Element& element) const {
    return gradients.read(element);
  }
  __device__ __forceinline__ void add(const Gradient<T>& value, const State& s,
                                      double (&sums)[kSums]) const {
    const double g = gradients.masked(value);
    sums[0] += g;
    sums[1] += g * ((to_double(value.x) - s.mean) * s.invstd);
  }
};

/// dx = gamma invstd (g - dbeta / N - x^ dgamma / N).
template <typename T>
struct InputGradient {
  struct State {
    double mean, invstd, scale, mean_g, mean_gx;
  };

  Gradients<T> gradients;
  Saved saved;
  const float* gamma;
  const double *dbeta, *dgamma;
  double count;

  __device__ __forceinline__ State state(std::int64_t channel) const {
    const double invstd = saved.invstd[channel];
    return {saved.mean[channel], invstd, gamma[channel] * invstd, dbeta[channel] / count,
            dgamma[channel] / count};
  }
  __device__ __forceinline__ Gradient<T> read(const Element& element) const {
    return gradients.read(element);
  }
  __device__ __forceinline__ double want(const Gradient<T>& value, const State& s) const {
    const double normal = (to_double(value.x) - s.mean) * s.invstd;
    return s.scale * (gradients.masked(value) - s.mean_g - normal * s.mean_gx);
  }
};

/// dz = g.
template <typename T>
struct ResidualGradient : NoState {
  Gradients<T> gradients;

  explicit ResidualGradient(const Gradients<T>& all) : gradients(all) {}
  __device__ __forceinline__ Gradient<T> read(const Element& element) const {
    return gradients.read(element);
  }
  __device__ __forceinline__ double want(const Gradient<T>& value, State) const {
    return gradients.masked(value);
  }
};

template <typename T, typename Y>
void verify_backward(const VerifyCase& checked, const ChannelView& view) {
  const DeviceBuffer<double> totals(static_cast<std::size_t>(2 * view.channels));
  const double* dbeta = totals.data();
  const double* dgamma = dbeta + view.channels;
  const bool masked = checked.op.epilogue != Epilogue::none;
  const Gradients<T> gradients{input<T>(checked, "dy"), input<T>(checked, "x"),
                               masked ? input<T>(checked, "y") : nullptr};
  const Saved saved{input<float>(checked, "save_mean"), input<float>(checked, "save_invstd")};
  sum_channels(view, GradientTerms<T>{gradients, saved}, totals.data(), checked.stream);
  compare_all<Y>(checked, "dx", view,
                 InputGradient<T>{gradients, saved, input<float>(checked, "gamma"), dbeta, dgamma,
                                  static_cast<double>(view.outer * view.inner)});
  compare_all<float>(checked, "dgamma", run_view(view.channels), Computed(dgamma));
  compare_all<float>(checked, "dbeta", run_view(view.channels), Computed(dbeta));
  if (checked.op.epilogue == Epilogue::add_relu) {
    compare_all<Y>(checked, "dz", view, ResidualGradient<T>(gradients));
  }
  check(cudaStreamSynchronize(checked.stream), "computing a batch norm's reference");
}

}  // namespace

void verify_batchnorm_backward(const VerifyCase& checked, const ChannelView& view) {
  with_real_type(checked.op.in, [&](auto in) {
    with_real_type(checked.op.out, [&](auto out) {
      verify_backward<typename decltype(in)::type, typename decltype(out)::type>(checked, view);
    });
  });
}

}  // namespace stepcast
