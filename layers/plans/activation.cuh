// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ReLU and GELU, forward and backward, for both of our providers.

#include <string>

#include "layers/plans/kernel_families.hpp"
#include "layers/plans/map.cuh"

namespace stepcast {

struct Relu {
  __device__ float operator()(float x) const { return x <= 0.0F ? 0.0F : x; }  // NaN stays
};

struct ReluGradient {
  __device__ float operator()(float dy, float y) const { return y > 0.0F ? dy : 0.0F; }
};

/// The normal distribution at x: its integral, and its density times sqrt(2 pi).
struct Normal {
  float integral;
  float bell;
};

/// With the mathematical library's error function.
struct ExactNormal {
  static constexpr const char* kText = "erf";
  static __device__ __forceinline__ Normal at(float x) {
    return {0.5F * (1.0F + erff(x * 0.70710678F)), __expf(-0.5F * x * x)};
  }
};

/// erfc(z) = t (a1 + t (a2 + ...)) exp(-z^2), t = 1 / (1 + p z), to 1.5e-7: Abramowitz and Stegun,
/// Handbook of Mathematical Functions, 7.1.26. Far finer than fp16 and bf16, and cheap enough that
/// memory stays the limit.
struct FastNormal {
  static constexpr const char* kText = "poly";
  static __device__ __forceinline__ Normal at(float x) {
    const float t = __fdividef(1.0F, fmaf(fabsf(x), 0.3275911F * 0.70710678F, 1.0F));
    float sum = fmaf(t, 1.061405429F, -1.453152027F);
    sum = fmaf(t, sum, 1.421413741F);
    sum = fmaf(t, sum, -0.284496736F);
    sum = fmaf(t, sum, 0.254829592F);
    const float bell = __expf(-0.5F * x * x);
    const float tail = 0.5F * t * sum * bell;
    return {x < 0.0F ? tail : 1.0F - tail, bell};
  }
};

template <typename Distribution>
struct Gelu {
  __device__ float operator()(float x) const { return x * Distribution::at(x).integral; }
};

template <typename Distribution>
struct GeluGradient {
  __device__ float operator()(float dy, float x) const {
    const Normal normal = Distribution::at(x);
    return dy * fmaf(x * 0.39894228F, normal.bell, normal.integral);  // 1 / sqrt(2 pi)
  }
};

/// Operands: x -> y, or dy and y (ReLU) or x (GELU) -> dx.
template <typename Shape, typename T, typename Distribution>
KernelList activation(const Op& op, Buffers b) {
  const std::int64_t n = std::get<ElementsShape>(op.shape).e;
  const std::string relu = choices(type_text<T>);
  const std::string gelu = choices(type_text<T>, Distribution::kText);
  KernelList list;
  switch (op.family) {
    case Family::relu_fwd:
      add_map<Shape, T, T>(list, "relu" + relu, Relu{}, n, b[1], b[0]);
      break;
    case Family::relu_bwd:
      add_map<Shape, T, T, T>(list, "relu_gradient" + relu, ReluGradient{}, n, b[2], b[0], b[1]);
      break;
    case Family::gelu_fwd:
      add_map<Shape, T, T>(list, "gelu" + gelu, Gelu<Distribution>{}, n, b[1], b[0]);
      break;
    default:
      add_map<Shape, T, T, T>(list, "gelu_gradient" + gelu, GeluGradient<Distribution>{}, n, b[2],
                              b[0], b[1]);
  }
  return list;
}

}  // namespace stepcast
