// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/product_compare.cuh"

#include <algorithm>
#include <string>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/product_kernel.cuh"

namespace stepcast {
namespace {

constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kCubic = 0.044715;  // of GELU's tanh form

__device__ double gelu(double x, bool tanh_form) {
  if (tanh_form) return 0.5 * x * (1 + tanh(kRootTwoOverPi * (x + kCubic * x * x * x)));
  return 0.5 * x * (1 + erf(x * kRootHalf));
}

__device__ double gelu_slope(double x, bool tanh_form) {
  if (tanh_form) {
    const double t = tanh(kRootTwoOverPi * (x + kCubic * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kRootTwoOverPi * (1 + 3 * kCubic * x * x);
  }
  return 0.5 * (1 + erf(x * kRootHalf)) + x * 0.5 * kRootTwoOverPi * exp(-0.5 * x * x);
}

/// Compares each result, after Finishing.
struct CompareResults {
  Target<void> target;
  DType type;
  Finishing finishing;

  struct State {
    const CompareResults& epilogue;
    Findings findings = {};

    __device__ __forceinline__ void take(std::int64_t, std::int64_t, std::int64_t column,
                                         std::int64_t place, double value) {
      const Finishing& last = epilogue.finishing;
      if (last.finish != Finish::none) value = finished(last, column, place, value);
      findings.compare(place, read(epilogue.target.got, epilogue.type, place), value,
                       epilogue.target.allowance);
    }
    __device__ __forceinline__ void end() { findings.merge(epilogue.target.slot); }
  };

  static __device__ __noinline__ double finished(const Finishing& last, std::int64_t column,
                                                 std::int64_t place, double value) {
    if (last.finish == Finish::dgelu) {
      return value * gelu_slope(read(last.memory, last.type, place), last.tanh_form);
    }
    value += read(last.memory, last.type, column);
    return last.finish == Finish::bias_gelu ? gelu(value, last.tanh_form) : value;
  }

  __device__ __forceinline__ State begin() const { return {*this}; }
};

/// Adds each result to what other blocks have summed.
struct AddResults {
  double* sums;

  __device__ __forceinline__ void take(std::int64_t, std::int64_t, std::int64_t, std::int64_t place,
                                       double value) const {
    atomicAdd(sums + place, value);
  }
  __device__ __forceinline__ void end() const {}
  __device__ __forceinline__ AddResults begin() const { return *this; }
};

template <typename Epilogue>
void product(const VerifyCase& checked, const ProductAxes& axes, const Epilogue& epilogue) {
  with_factor_type(checked.op.in, [&](auto stored) {
    using T = typename decltype(stored)::type;
    launch_product(Factor<T>{axes.a, static_cast<const T*>(checked.buffers[axes.operand_a])},
                   Factor<T>{axes.b, static_cast<const T*>(checked.buffers[axes.operand_b])},
                   axes.result, epilogue, "multiplying in double", checked.stream);
  });
}

template <typename T>
__global__ void compare_kernel(const double* want, Target<T> target, std::int64_t count) {
  Comparer<T> comparer(target);
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    comparer.compare(i, want[i]);
  }
  comparer.merge();
}

/// Parts of the depth that keep a large GPU busy: some 4 blocks on each of 132 processors, twice
/// over, each with at least 32 tiles of the depth.
std::int64_t parts(const FactorAxes& a, const Result& result) {
  const auto tiles = [](std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; };
  const std::int64_t blocks = tiles(result.row.size, kTile) * tiles(result.column.size, kTile) *
                              std::max<std::int64_t>(result.batch.size, 1);
  const std::int64_t wanted = tiles(1056, std::max<std::int64_t>(blocks, 1));
  const std::int64_t most = std::max<std::int64_t>(1, tiles(a.depth.size, kTileDepth) / 32);
  return std::min({wanted, most, std::int64_t{65535}});
}

}  // namespace

void compare_product(const VerifyCase& checked, const ProductAxes& axes, std::string_view name,
                     const Finishing& finishing) {
  const DType type = checked.tally.operands()[place_of(checked, name)].type;
  product(checked, axes, CompareResults{target<void>(checked, name), type, finishing});
}

void compare_long_product(const VerifyCase& checked, const ProductAxes& axes,
                          std::string_view name) {
  const auto count =
      static_cast<std::size_t>(checked.tally.operands()[place_of(checked, name)].count);
  const DeviceBuffer<double> sums(count);
  check(cudaMemsetAsync(sums.data(), 0, sums.bytes(), checked.stream), "emptying sums");
  ProductAxes split = axes;
  split.result.split = parts(axes.a, axes.result);
  product(checked, split, AddResults{sums.data()});
  compare_sums(checked, sums.data(), name);
  check(cudaStreamSynchronize(checked.stream), "comparing sums");  // before they are freed
}

void compare_sums(const VerifyCase& checked, const double* want, std::string_view name) {
  const Operand& operand = checked.tally.operands()[place_of(checked, name)];
  with_real_type(operand.type, [&](auto stored) {
    using T = typename decltype(stored)::type;
    constexpr unsigned kThreads = 256;
    const std::int64_t blocks = std::clamp<std::int64_t>((operand.count + 255) / 256, 1, 4096);
    compare_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, checked.stream>>>(
        want, target<T>(checked, name), operand.count);
    check_launch("comparing sums");
  });
}

}  // namespace stepcast
