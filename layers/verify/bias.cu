// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/channel_sums.cuh"
#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

/// y[m,n] = y[m,n] + bias[n], with columns as channels.
template <typename T, typename Y>
struct Biased {
  using State = double;

  const Y* y;
  const T* bias;

  __device__ __forceinline__ State state(std::int64_t column) const {
    return to_double(bias[column]);
  }
  __device__ __forceinline__ Y read(const Element& element) const { return y[element.index]; }
  __device__ __forceinline__ double want(Y value, State column_bias) const {
    return to_double(value) + column_bias;
  }
};

/// dbias[n] = sum over m of dy[m,n].
template <typename T>
struct ColumnTerms : NoState {
  static constexpr int kSums = 1;

  const T* dy;

  explicit ColumnTerms(const T* gradient) : dy(gradient) {}
  __device__ __forceinline__ T read(const Element& element) const { return dy[element.index]; }
  __device__ __forceinline__ void add(T value, State, double (&sums)[kSums]) const {
    sums[0] += to_double(value);
  }
};

template <typename T, typename Y>
void verify_gradient(const VerifyCase& checked, const ChannelView& view) {
  const DeviceBuffer<double> totals(static_cast<std::size_t>(view.channels));
  sum_channels(view, ColumnTerms<T>(input<T>(checked, "dy")), totals.data(), checked.stream);
  compare_all<Y>(checked, "dbias", run_view(view.channels), Computed(totals.data()));
  check(cudaStreamSynchronize(checked.stream), "computing a bias gradient's reference");
}

}  // namespace

void verify_bias(const VerifyCase& checked) {
  const auto& s = std::get<MatrixShape>(checked.op.shape);
  const ChannelView view{s.m, s.n, 1};
  with_real_type(checked.op.in, [&](auto in) {
    with_real_type(checked.op.out, [&](auto out) {
      using T = typename decltype(in)::type;
      using Y = typename decltype(out)::type;
      if (checked.op.family == Family::bias_grad) return verify_gradient<T, Y>(checked, view);
      compare_all<Y>(checked, "y", view,
                     Biased<T, Y>{initial<Y>(checked, "y"), input<T>(checked, "bias")});
    });
  });
}

}  // namespace stepcast
