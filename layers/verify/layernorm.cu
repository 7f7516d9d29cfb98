// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/channel_sums.cuh"
#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

constexpr double kEps = 1e-6;

struct ForwardTargets {
  Target<float> mean, invstd;
};

/// A warp a row, which it reads three times: for the mean, for the variance, for y.
template <typename T, typename Y>
__global__ __launch_bounds__(kRowThreads) void compare_forward(const T* x, const float* gamma,
                                                               const float* beta, std::int64_t rows,
                                                               std::int64_t columns, Target<Y> y,
                                                               ForwardTargets statistics) {
  struct Values {
    T x;
    Y y;
    float gamma, beta;
  };
  Findings findings;
  Comparer<float> means(statistics.mean), invstds(statistics.invstd);
  for (std::int64_t row = first_row(); row < rows; row += row_step()) {
    const std::int64_t start = row * columns;
    const auto read = [&](std::int64_t column) { return x[start + column]; };
    double sum = 0;
    walk_row(columns, read, [&](std::int64_t, T value) { sum += to_double(value); });
    const double mean = total_of_warp(sum) / static_cast<double>(columns);
    double squares = 0;
    walk_row(columns, read, [&](std::int64_t, T value) {
      const double deviation = to_double(value) - mean;
      squares += deviation * deviation;
    });
    const double variance = total_of_warp(squares) / static_cast<double>(columns);
    const double invstd = 1.0 / sqrt(variance + kEps);
    walk_row(
        columns,
        [&](std::int64_t column) {
          return Values{x[start + column], y.got[start + column], gamma[column], beta[column]};
        },
        [&](std::int64_t column, const Values& values) {
          const double normal = (to_double(values.x) - mean) * invstd;
          findings.compare(start + column, to_double(values.y), normal * values.gamma + values.beta,
                           y.allowance);
        });
    if (threadIdx.x % 32 == 0) {
      means.compare(row, mean);
      invstds.compare(row, invstd);
    }
  }
  findings.merge(y.slot);
  means.merge();
  invstds.merge();
}

/// What the backward pass reads.
template <typename T>
struct Gradients {
  const T *dy, *x;
  const float *gamma, *mean, *invstd;
};

/// dx = invstd (g - mean g - x^ mean(g x^)), g = dy gamma. A warp a row.
template <typename T, typename Y>
__global__ __launch_bounds__(kRowThreads) void compare_backward(Gradients<T> in, std::int64_t rows,
                                                                std::int64_t columns,
                                                                Target<Y> dx) {
  struct Values {
    T dy, x;
    float gamma;
  };
  struct ComparedValues : Values {
    Y dx;
  };
  Findings findings;
  for (std::int64_t row = first_row(); row < rows; row += row_step()) {
    const std::int64_t start = row * columns;
    const double mean = in.mean[row];
    const double invstd = in.invstd[row];
    const auto read = [&](std::int64_t column) {
      return Values{in.dy[start + column], in.x[start + column], in.gamma[column]};
    };
    double sum_g = 0;
    double sum_gx = 0;
    walk_row(columns, read, [&](std::int64_t, const Values& values) {
      const double g = to_double(values.dy) * values.gamma;
      sum_g += g;
      sum_gx += g * ((to_double(values.x) - mean) * invstd);
    });
    const double mean_g = total_of_warp(sum_g) / static_cast<double>(columns);
    const double mean_gx = total_of_warp(sum_gx) / static_cast<double>(columns);
    walk_row(
        columns,
        [&](std::int64_t column) {
          return ComparedValues{read(column), dx.got[start + column]};
        },
        [&](std::int64_t column, const ComparedValues& values) {
          const double g = to_double(values.dy) * values.gamma;
          const double normal = (to_double(values.x) - mean) * invstd;
          findings.compare(start + column, to_double(values.dx),
                           invstd * (g - mean_g - normal * mean_gx), dx.allowance);
        });
  }
  findings.merge(dx.slot);
}

/// Sums over the rows of dy and of dy x^, that is dbeta and dgamma.
template <typename T>
struct ColumnTerms : NoState {
  static constexpr int kSums = 2;
  struct Values {
    T dy, x;
    float mean, invstd;
  };

  Gradients<T> in;

  explicit ColumnTerms(const Gradients<T>& gradients) : in(gradients) {}
  __device__ __forceinline__ Values read(const Element& element) const {
    return {in.dy[element.index], in.x[element.index], in.mean[element.outer],
            in.invstd[element.outer]};
  }
  __device__ __forceinline__ void add(const Values& values, State, double (&sums)[kSums]) const {
    const double mean = values.mean;
    const double dy = to_double(values.dy);
    sums[0] += dy;
    sums[1] += dy * ((to_double(values.x) - mean) * values.invstd);
  }
};

template <typename T, typename Y>
void verify_forward(const VerifyCase& checked, const MatrixShape& s) {
  compare_forward<<<row_blocks(s.m), kRowThreads, 0, checked.stream>>>(
      input<T>(checked, "x"), input<float>(checked, "gamma"), input<float>(checked, "beta"), s.m,
      s.n, target<Y>(checked, "y"),
      ForwardTargets{target<float>(checked, "mean"), target<float>(checked, "invstd")});
  check_launch("compare_forward");
}

template <typename T, typename Y>
void verify_backward(const VerifyCase& checked, const MatrixShape& s) {
  const Gradients<T> in{input<T>(checked, "dy"), input<T>(checked, "x"),
                        input<float>(checked, "gamma"), input<float>(checked, "mean"),
                        input<float>(checked, "invstd")};
  const DeviceBuffer<double> totals(static_cast<std::size_t>(2 * s.n));
  compare_backward<<<row_blocks(s.m), kRowThreads, 0, checked.stream>>>(in, s.m, s.n,
                                                                        target<Y>(checked, "dx"));
  check_launch("compare_backward");
  sum_channels({s.m, s.n, 1}, ColumnTerms<T>(in), totals.data(), checked.stream);
  compare_all<float>(checked, "dbeta", run_view(s.n), Computed(totals.data()));
  compare_all<float>(checked, "dgamma", run_view(s.n), Computed(totals.data() + s.n));
  check(cudaStreamSynchronize(checked.stream), "computing a layer norm's reference");
}

}  // namespace

void verify_layernorm(const VerifyCase& checked) {
  const auto& s = std::get<MatrixShape>(checked.op.shape);
  with_real_type(checked.op.in, [&](auto in) {
    with_real_type(checked.op.out, [&](auto out) {
      using T = typename decltype(in)::type;
      using Y = typename decltype(out)::type;
      checked.op.family == Family::layernorm_fwd ? verify_forward<T, Y>(checked, s)
                                                 : verify_backward<T, Y>(checked, s);
    });
  });
}

}  // namespace stepcast
