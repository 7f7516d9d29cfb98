// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

constexpr double kLearningRate = 0.1;
constexpr double kMomentum = 0.9;
constexpr double kInverseScale = 1.0 / 1024.0;

/// v = 0.9 v + gradient.
struct Momentum : NoState {
  struct Values {
    float momentum, gradient;
  };

  const float *momentum, *gradient;

  Momentum(const float* old_momentum, const float* step) : momentum(old_momentum), gradient(step) {}
  __device__ __forceinline__ Values read(const Element& element) const {
    return {momentum[element.index], gradient[element.index]};
  }
  __device__ __forceinline__ double want(const Values& values, State) const {
    return kMomentum * values.momentum + values.gradient;
  }
};

/// weight = weight - 0.1 v.
struct Weight : NoState {
  struct Values {
    float weight;
    Momentum::Values momentum;
  };

  const float* weight;
  Momentum momentum;

  Weight(const float* old_weight, const Momentum& new_momentum)
      : weight(old_weight), momentum(new_momentum) {}
  __device__ __forceinline__ Values read(const Element& element) const {
    return {weight[element.index], momentum.read(element)};
  }
  __device__ __forceinline__ double want(const Values& values, State state) const {
    return values.weight - kLearningRate * momentum.want(values.momentum, state);
  }
};

/// gradient = gradient / 1024.
struct Unscaled : NoState {
  const float* gradient;

  explicit Unscaled(const float* scaled) : gradient(scaled) {}
  __device__ __forceinline__ float read(const Element& element) const {
    return gradient[element.index];
  }
  __device__ __forceinline__ double want(float value, State) const { return kInverseScale * value; }
};

/// found = 1 if a gradient is not finite, else as it was.
__global__ __launch_bounds__(kWalkThreads) void find_inf(ChannelView view, const float* gradient,
                                                         double* found) {
  walk(
      view, [&](const Element& element) { return gradient[element.index]; },
      [&](const Element&, float value) {
        if (!isfinite(value)) *found = 1.0;
      });
}

__global__ void widen(const float* from, double* to) { *to = *from; }

void verify_sgd(const VerifyCase& checked, const ChannelView& view) {
  const Momentum momentum(initial<float>(checked, "momentum"), input<float>(checked, "gradient"));
  compare_all<float>(checked, "momentum", view, momentum);
  compare_all<float>(checked, "weight", view, Weight(initial<float>(checked, "weight"), momentum));
}

void verify_unscale(const VerifyCase& checked, const ChannelView& view) {
  const auto* gradient = initial<float>(checked, "gradient");
  compare_all<float>(checked, "gradient", view, Unscaled(gradient));
  const DeviceBuffer<double> found(1);
  widen<<<1, 1, 0, checked.stream>>>(initial<float>(checked, "found_inf"), found.data());
  check_launch("widen");
  const WalkLaunch launch = walk_launch(view);
  find_inf<<<launch.grid, launch.block, 0, checked.stream>>>(view, gradient, found.data());
  check_launch("find_inf");
  compare_all<float>(checked, "found_inf", run_view(1), Computed(found.data()));
  check(cudaStreamSynchronize(checked.stream), "looking for an infinite gradient");
}

}  // namespace

void verify_optimizer(const VerifyCase& checked) {
  const ChannelView view = run_view(std::get<TensorsShape>(checked.op.shape).e);
  checked.op.family == Family::sgd ? verify_sgd(checked, view) : verify_unscale(checked, view);
}

}  // namespace stepcast
