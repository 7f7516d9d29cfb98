// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the provider cuda's batch norm forward computes, as bodies of column_reduce.cuh,
// channel_reduce.cuh and column_map.cuh. T: type of images; W: elements of a pack; E: epilogue; C:
// where a pack's channels are.

#include "layers/op.hpp"
#include "layers/plans/batchnorm_channels.cuh"

namespace stepcast {

/// Sums of x and (x - K)^2, with K the channel's first element. The variance is the mean of the
/// latter less (mean - K)^2: with a shift inside the data little cancels.
template <typename T, int W, Channels C, int Unroll = W == 1 || sizeof(T) == 4 ? 8 : 4>
struct MomentSums {
  static constexpr int kWidth = W;
  static constexpr int kSums = 2;
  static constexpr int kUnroll = Unroll;
  using State = PerChannel<W, C>;
  /// Loads of planes are kept across iterations.
  using Piece = std::conditional_t<C == Channels::kPlane, RawPack<T, W>, Pack<T, W>>;
  struct Loaded {
    Piece x;
  };

  const T* x;
  std::int64_t plane;  // H W in nchw, where a channel's first element is at channel * plane
  BatchNormStatistics statistics;

  __device__ __forceinline__ float shift(std::int64_t channel) const {
    return to_float(x[C == Channels::kColumns ? channel : channel * plane]);
  }
  __device__ __forceinline__ State state(std::int64_t channel) const {
    State state;
#pragma unroll
    for (int w = 0; w < State::kCount; ++w) state.value[w] = shift(channel + w);
    return state;
  }
  __device__ __forceinline__ Loaded load(std::int64_t offset) const {
    return {load_as<Piece>(x + offset)};
  }
  __device__ __forceinline__ void add(const Loaded& loaded, const State& state,
                                      float (&sums)[kSums][State::kCount], std::int64_t) const {
    const Pack<float, W> values = unpack(loaded.x);
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const float shifted = values.value[w] - state[w];
      const int sum = State::kCount == 1 ? 0 : w;
      sums[0][sum] += values.value[w];
      sums[1][sum] = fmaf(shifted, shifted, sums[1][sum]);
    }
  }
  __device__ __forceinline__ void finish(std::int64_t channel, const float (&totals)[kSums]) const {
    const float mean = totals[0] / statistics.count;
    const float from_shift = mean - shift(channel);
    const float variance = fmaxf(totals[1] / statistics.count - from_shift * from_shift, 0.0F);
    statistics.write(channel, mean, variance);
  }
};

/// y = (x - mean) invstd gamma + beta, then + z, then ReLU, as the epilogue says.
template <typename T, int W, Epilogue E, Channels C, int Unroll = E == Epilogue::add_relu ? 2 : 4>
struct Normalize {
  static constexpr int kWidth = W;
  static constexpr int kUnroll = Unroll;
  static constexpr int kBlocksPerSm = C == Channels::kMixed ? 3 : 4;
  struct State {
    PerChannel<W, C> mean, scale, beta;
  };
  struct Loaded {
    Pack<T, W> x, z;
  };

  const T* x;
  const T* z;
  T* y;
  const float* gamma;
  const float* beta;
  const float* mean;
  const float* invstd;
  FastDiv<std::uint64_t> plane;

  __device__ __forceinline__ State state(std::int64_t column) const {
    State state{per_channel<W, C>(mean, column, plane), per_channel<W, C>(gamma, column, plane),
                per_channel<W, C>(beta, column, plane)};
    const auto inverse = per_channel<W, C>(invstd, column, plane);
#pragma unroll
    for (int w = 0; w < state.scale.kCount; ++w) state.scale.value[w] *= inverse[w];
    return state;
  }
  __device__ __forceinline__ Loaded load(std::int64_t offset) const {
    Loaded loaded;
    loaded.x = stepcast::load<W>(x + offset);
    if constexpr (E == Epilogue::add_relu) loaded.z = stepcast::load<W>(z + offset);
    return loaded;
  }
  __device__ __forceinline__ void apply(const Loaded& loaded, const State& state,
                                        std::int64_t offset) const {
    Pack<float, W> values = unpack(loaded.x);
#pragma unroll
    for (int w = 0; w < W; ++w) {
      values.value[w] = fmaf(values.value[w] - state.mean[w], state.scale[w], state.beta[w]);
    }
    if constexpr (E == Epilogue::add_relu) {
      const Pack<float, W> residual = unpack(loaded.z);
#pragma unroll
      for (int w = 0; w < W; ++w) values.value[w] += residual.value[w];
    }
    if constexpr (E != Epilogue::none) {
#pragma unroll
      for (float& value : values.value) value = value <= 0.0F ? 0.0F : value;  // NaN stays
    }
    store(y + offset, packed<T>(values));
  }
};

}  // namespace stepcast
