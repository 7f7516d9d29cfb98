// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the optimizer's kernels of both providers share.

#include <cmath>

namespace stepcast {

inline constexpr float kLearningRate = 0.1F;
inline constexpr float kMomentum = 0.9F;
inline constexpr float kInverseScale = 1.0F / 1024.0F;

/// Takes the loss scale out of a gradient; true if it is finite.
__device__ __forceinline__ bool unscale(float& gradient) {
  const bool finite = isfinite(gradient);
  gradient *= kInverseScale;
  return finite;
}

}  // namespace stepcast
