// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the provider cuda's batch norm backward computes, as bodies of column_reduce.cuh,
// channel_reduce.cuh and column_map.cuh. T: type of images; W: elements of a pack; E: epilogue; C:
// where a pack's channels are.

#include "layers/op.hpp"
#include "layers/plans/batchnorm_channels.cuh"

namespace stepcast {

/// Sums of g and g (x - mean), where g is dy, or 0 where ReLU gave 0. With a residual, g is its
/// gradient dz and is written here, so that the second pass reads it instead of dy and y.
template <typename T, int W, Epilogue E, Channels C,
          int Unroll = W == 1                    ? 4
                       : E == Epilogue::add_relu ? 1
                                                 : 2>
struct GradientSums {
  static constexpr int kWidth = W;
  static constexpr int kSums = 2;
  static constexpr int kUnroll = Unroll;
  using State = PerChannel<W, C>;
  /// Loads of planes are kept across iterations.
  using Piece = std::conditional_t<C == Channels::kPlane, RawPack<T, W>, Pack<T, W>>;
  struct Loaded {
    Piece dy, x, y;
  };

  const T* dy;
  const T* x;
  const T* y;
  T* dz;
  const float* mean;
  const float* invstd;
  float* dgamma;
  float* dbeta;

  __device__ __forceinline__ State state(std::int64_t channel) const {
    State state;
#pragma unroll
    for (int w = 0; w < State::kCount; ++w) state.value[w] = mean[channel + w];
    return state;
  }
  __device__ __forceinline__ Loaded load(std::int64_t offset) const {
    Loaded loaded;
    loaded.dy = load_as<Piece>(dy + offset);
    loaded.x = load_as<Piece>(x + offset);
    if constexpr (E != Epilogue::none) loaded.y = load_as<Piece>(y + offset);
    return loaded;
  }
  __device__ __forceinline__ void add(const Loaded& loaded, const State& state,
                                      float (&sums)[kSums][State::kCount],
                                      std::int64_t offset) const {
    Pack<float, W> gradient = unpack(loaded.dy);
    const Pack<float, W> values = unpack(loaded.x);
    if constexpr (E != Epilogue::none) {
      const Pack<float, W> results = unpack(loaded.y);
#pragma unroll
      for (int w = 0; w < W; ++w) {
        if (!(results.value[w] > 0.0F)) gradient.value[w] = 0.0F;
      }
    }
    if constexpr (E == Epilogue::add_relu) store(dz + offset, packed<T>(gradient));
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const int sum = State::kCount == 1 ? 0 : w;
      sums[0][sum] += gradient.value[w];
      sums[1][sum] = fmaf(gradient.value[w], values.value[w] - state[w], sums[1][sum]);
    }
  }
  __device__ __forceinline__ void finish(std::int64_t channel, const float (&totals)[kSums]) const {
    dbeta[channel] = totals[0];
    dgamma[channel] = totals[1] * invstd[channel];
  }
};

/// dx = gamma invstd (g - dbeta / count - (x - mean) invstd dgamma / count).
template <typename T, int W, Epilogue E, Channels C, int Unroll = 2>
struct InputGradient {
  static constexpr int kWidth = W;
  static constexpr int kUnroll = Unroll;
  static constexpr int kBlocksPerSm = C == Channels::kMixed ? 2 : 3;
  struct State {
    PerChannel<W, C> mean, scale, slope, shift;  // dx = scale g + slope (x - mean) + shift
  };
  struct Loaded {
    Pack<T, W> gradient, x, y;
  };

  const T* gradient;  // dz, already masked, with a residual; else dy
  const T* x;
  const T* y;
  T* dx;
  const float* gamma;
  const float* mean;
  const float* invstd;
  const float* dgamma;
  const float* dbeta;
  float count;
  FastDiv<std::uint64_t> plane;

  __device__ __forceinline__ State state(std::int64_t column) const {
    State state{per_channel<W, C>(mean, column, plane), per_channel<W, C>(gamma, column, plane),
                per_channel<W, C>(dgamma, column, plane), per_channel<W, C>(dbeta, column, plane)};
    const auto inverse = per_channel<W, C>(invstd, column, plane);
#pragma unroll
    for (int w = 0; w < state.scale.kCount; ++w) {
      state.scale.value[w] *= inverse[w];
      state.slope.value[w] *= -state.scale[w] * inverse[w] / count;
      state.shift.value[w] *= -state.scale[w] / count;
    }
    return state;
  }
  __device__ __forceinline__ Loaded load(std::int64_t offset) const {
    Loaded loaded;
    loaded.gradient = stepcast::load<W>(gradient + offset);
    loaded.x = stepcast::load<W>(x + offset);
    if constexpr (E == Epilogue::relu) loaded.y = stepcast::load<W>(y + offset);
    return loaded;
  }
  __device__ __forceinline__ void apply(const Loaded& loaded, const State& state,
                                        std::int64_t offset) const {
    Pack<float, W> result = unpack(loaded.gradient);
    const Pack<float, W> values = unpack(loaded.x);
    if constexpr (E == Epilogue::relu) {
      const Pack<float, W> results = unpack(loaded.y);
#pragma unroll
      for (int w = 0; w < W; ++w) {
        if (!(results.value[w] > 0.0F)) result.value[w] = 0.0F;
      }
    }
#pragma unroll
    for (int w = 0; w < W; ++w) {
      result.value[w] = fmaf(state.scale[w], result.value[w],
                             fmaf(state.slope[w], values.value[w] - state.mean[w], state.shift[w]));
    }
    store(dx + offset, packed<T>(result));
  }
};

}  // namespace stepcast
