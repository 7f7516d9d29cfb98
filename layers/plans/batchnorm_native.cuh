// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the provider native's batch norm kernels share, and the two layouts' makers. The structure
// is that of PyTorch's native batch norm.

#include "layers/plans/batchnorm.cuh"
#include "layers/plans/launch.cuh"
#include "layers/plans/reduce.cuh"
#include "layers/plans/welford.cuh"

namespace stepcast {

inline constexpr int kNativeThreads = 512;

/// As Welford, for a gradient's two sums.
struct GradientPair {
  float dy;
  float dy_x;  // dy (x - mean)

  __device__ __forceinline__ void merge(const GradientPair& other) {
    dy += other.dy;
    dy_x += other.dy_x;
  }
};

/// What another block wrote.
__device__ __forceinline__ Welford fresh(const Welford* sum) {
  return {__ldcg(&sum->mean), __ldcg(&sum->squares), __ldcg(&sum->count)};
}

__device__ __forceinline__ GradientPair fresh(const GradientPair* sum) {
  return {__ldcg(&sum->dy), __ldcg(&sum->dy_x)};
}

KernelList batchnorm_native_nhwc(const Op& op, Buffers buffers);
KernelList batchnorm_native_nchw(const Op& op, Buffers buffers);

/// Second kernel of the forward pass: running statistics, and invstd from the variance that the
/// first one left in save_invstd.
void add_update_statistics(KernelList& list, const ImageShape& s, const BatchNormForward& o);

}  // namespace stepcast
