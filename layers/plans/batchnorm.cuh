// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What batch norm's kernels of both providers share: operands and constants.

#include <cuda_runtime.h>

#include <cstdint>

#include "layers/op.hpp"
#include "layers/plans/kernel_list.hpp"
#include "layers/plans/pack.cuh"

namespace stepcast {

inline constexpr float kBatchNormEpsilon = 1e-5F;  // torch.nn.BatchNorm2d's defaults
inline constexpr float kBatchNormMomentum = 0.1F;

/// Writes a channel's statistics: save_mean, save_invstd, and the running ones, whose variance is
/// the unbiased one.
struct BatchNormStatistics {
  float* running_mean;
  float* running_var;
  float* save_mean;
  float* save_invstd;
  float count;  // elements of a channel

  __device__ __forceinline__ void write(std::int64_t channel, float mean, float variance) const {
    save_mean[channel] = mean;
    save_invstd[channel] = 1.0F / sqrtf(variance + kBatchNormEpsilon);
    update_running(channel, mean, variance);
  }

  __device__ __forceinline__ void update_running(std::int64_t channel, float mean,
                                                 float variance) const {
    const float unbiased = variance * (count / fmaxf(count - 1.0F, 1.0F));
    running_mean[channel] += kBatchNormMomentum * (mean - running_mean[channel]);
    running_var[channel] += kBatchNormMomentum * (unbiased - running_var[channel]);
  }
};

inline float* float_buffer(void* memory) { return static_cast<float*>(memory); }

/// The places of the forward pass's operands. z is null without a residual.
struct BatchNormForward {
  const void *x, *z;
  void* y;
  const float *gamma, *beta;
  float *running_mean, *running_var, *save_mean, *save_invstd;

  BatchNormForward(Buffers b, Epilogue epilogue)
      : x(b[0]), gamma(float_buffer(b[1])), beta(float_buffer(b[2])) {
    const bool residual = epilogue == Epilogue::add_relu;
    const Buffers rest = b.subspan(residual ? 4 : 3);
    z = residual ? b[3] : nullptr;
    running_mean = float_buffer(rest[0]);
    running_var = float_buffer(rest[1]);
    y = rest[2];
    save_mean = float_buffer(rest[3]);
    save_invstd = float_buffer(rest[4]);
  }

  [[nodiscard]] BatchNormStatistics statistics(const ImageShape& s) const {
    return {running_mean, running_var, save_mean, save_invstd, static_cast<float>(s.n * s.h * s.w)};
  }
};

/// The places of the backward pass's operands. y is null without ReLU, dz without a residual.
struct BatchNormBackward {
  const void *dy, *x, *y;
  void *dx, *dz;
  const float *gamma, *mean, *invstd;
  float *dgamma, *dbeta;

  BatchNormBackward(Buffers b, Epilogue epilogue)
      : dy(b[0]),
        x(b[1]),
        gamma(float_buffer(b[2])),
        mean(float_buffer(b[3])),
        invstd(float_buffer(b[4])) {
    const bool masked = epilogue != Epilogue::none;
    const Buffers rest = b.subspan(masked ? 6 : 5);
    y = masked ? b[5] : nullptr;
    dx = rest[0];
    dgamma = float_buffer(rest[1]);
    dbeta = float_buffer(rest[2]);
    dz = epilogue == Epilogue::add_relu ? rest[3] : nullptr;
  }
};

/// The channel of each element of a pack. kColumns: nhwc, where element w of a pack in column j is
/// of channel j + w. kPlane: nchw, all of a pack in one channel's plane. kMixed: nchw where planes
/// are no whole number of packs.
enum class Channels { kColumns, kPlane, kMixed };

}  // namespace stepcast
