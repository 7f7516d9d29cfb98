// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <variant>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// logprob[m,n] = logits[m,n] - log sum over n of exp logits[m,n]; adds logprob[m,label[m]] to
/// `total`. A warp a row. The largest logit is not taken out: doubles have room up to 700.
template <typename T>
__global__ __launch_bounds__(kRowThreads) void compare_logprob(
    const T* logits, const std::int64_t* label, std::int64_t rows, std::int64_t columns,
    Target<float> logprob, double* total) {
  struct Values {
    T logit;
    float logprob;
  };
  Findings findings;
  double labelled = 0;  // in lane 0 alone
  for (std::int64_t row = first_row(); row < rows; row += row_step()) {
    const std::int64_t start = row * columns;
    double sum = 0;
    walk_row(
        columns, [&](std::int64_t column) { return logits[start + column]; },
        [&](std::int64_t, T logit) { sum += exp(to_double(logit)); });
    const double log_sum = log(total_of_warp(sum));
    walk_row(
        columns,
        [&](std::int64_t column) {
          return Values{logits[start + column], logprob.got[start + column]};
        },
        [&](std::int64_t column, const Values& values) {
          findings.compare(start + column, values.logprob, to_double(values.logit) - log_sum,
                           logprob.allowance);
        });
    if (threadIdx.x % 32 == 0) {
      const std::int64_t place = label[row];
      const bool inside = place >= 0 && place < columns;
      labelled += inside ? to_double(logits[start + place]) - log_sum : kNaN;
    }
  }
  if (threadIdx.x % 32 == 0) atomicAdd(total, labelled);
  findings.merge(logprob.slot);
}

/// loss = -(mean over the rows).
struct MeanLoss : NoState {
  const double* total;
  double rows;

  MeanLoss(const double* sum, double count) : total(sum), rows(count) {}
  __device__ __forceinline__ double read(const Element&) const { return *total; }
  __device__ __forceinline__ double want(double sum, State) const { return -sum / rows; }
};

/// dlogits[m,n] = (exp logprob[m,n] - (n == label[m])) / M, with columns as channels.
struct LossGradient {
  using State = std::int64_t;
  struct Values {
    float logprob;
    std::int64_t label;
  };

  const float* logprob;
  const std::int64_t* label;
  double rows;

  __device__ __forceinline__ State state(std::int64_t column) const { return column; }
  __device__ __forceinline__ Values read(const Element& element) const {
    return {logprob[element.index], label[element.outer]};
  }
  __device__ __forceinline__ double want(const Values& values, State column) const {
    const double one = values.label == column ? 1.0 : 0.0;
    return (exp(static_cast<double>(values.logprob)) - one) / rows;
  }
};

template <typename T>
void verify_forward(const VerifyCase& checked, const MatrixShape& s) {
  const DeviceBuffer<double> total(1);
  check(cudaMemsetAsync(total.data(), 0, total.bytes(), checked.stream), "zeroing a loss");
  compare_logprob<<<row_blocks(s.m), kRowThreads, 0, checked.stream>>>(
      input<T>(checked, "logits"), input<std::int64_t>(checked, "label"), s.m, s.n,
      target<float>(checked, "logprob"), total.data());
  check_launch("compare_logprob");
  compare_all<float>(checked, "loss", run_view(1),
                     MeanLoss(total.data(), static_cast<double>(s.m)));
  check(cudaStreamSynchronize(checked.stream), "computing a loss's reference");
}

}  // namespace

void verify_cross_entropy(const VerifyCase& checked) {
  const auto& s = std::get<MatrixShape>(checked.op.shape);
  if (checked.op.family == Family::cross_entropy_fwd) {
    return with_real_type(
        checked.op.in, [&](auto in) { verify_forward<typename decltype(in)::type>(checked, s); });
  }
  with_real_type(checked.op.out, [&](auto out) {
    compare_all<typename decltype(out)::type>(
        checked, "dlogits", {s.m, s.n, 1},
        LossGradient{input<float>(checked, "logprob"), input<std::int64_t>(checked, "label"),
                     static_cast<double>(s.m)});
  });
}

}  // namespace stepcast
