// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// Attention as products (product.cuh) of some heads at a time, whose scores are stored in double.

#include "layers/verify/attention.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include "core/cuda/device_buffer.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kMostScores = std::int64_t{1} << 25;  // 256 MiB of doubles

template <typename T>
class Attention {
 public:
  explicit Attention(const VerifyCase& checked)
      : checked_(checked),
        shape_(std::get<AttentionShape>(checked.op.shape)),
        heads_(shape_.b * shape_.h),
        most_heads_(std::clamp<std::int64_t>(kMostScores / (shape_.s * shape_.s), 1,
                                             std::min<std::int64_t>(heads_, 65535))),
        scale_(1 / std::sqrt(static_cast<double>(shape_.d))) {
    const bool bshd = checked.op.layout == Layout::bshd;
    const std::int64_t token = shape_.h * shape_.d;
    batch_stride_ = bshd ? shape_.s * token : token;
    token_stride_ = bshd ? token : shape_.b * token;
  }

  void verify() {
    const bool backward = checked_.op.family == Family::attention_bwd;
    const auto scores = static_cast<std::size_t>(most_heads_ * shape_.s * shape_.s);
    const DeviceBuffer<double> p(scores);
    const DeviceBuffer<double> ds(backward ? scores : 0);
    const DeviceBuffer<double> dots(backward ? static_cast<std::size_t>(most_heads_ * shape_.s)
                                             : 0);
    for (first_ = 0; first_ < heads_; first_ += most_heads_) {
      count_ = std::min(most_heads_, heads_ - first_);
      backward ? gradients(p.data(), ds.data(), dots.data()) : results(p.data());
    }
    check(cudaStreamSynchronize(checked_.stream), "verifying attention");  // before p is freed
  }

 private:
  /// S = scale q k^T, p = softmax(S), o = p v.
  void results(double* p) const {
    score_product("q", "k", StoreScores{p, scale_});
    softmax_rows<<<row_blocks(), kRowThreads, 0, checked_.stream>>>(
        p, rows(), shape_.s, target<float>(checked_, "stats"), first_ * shape_.s);
    check_launch("softmax_rows");
    token_product(p, false, "v", "o");
  }

  /// p = exp(S - stats), dS = scale p (do v^T - do o), dv = p^T do, dq = dS k, dk = dS^T q.
  void gradients(double* p, double* ds, double* dots) const {
    const std::int64_t s = shape_.s;
    const float* stats = input<float>(checked_, "stats") + first_ * s;
    score_product("q", "k", StoreProbabilities{p, stats, s, scale_});
    dot_rows<<<row_blocks(), kRowThreads, 0, checked_.stream>>>(
        input<T>(checked_, "do"), input<T>(checked_, "o"), heads(), token_stride_, rows(), s,
        shape_.d, dots);
    check_launch("dot_rows");
    score_product("do", "v", StoreGradients{ds, p, dots, s, scale_});
    token_product(p, true, "do", "dv");
    token_product(ds, false, "k", "dq");
    token_product(ds, true, "q", "dk");
  }

  /// [s, s] of each head: x y^T.
  template <typename Epilogue>
  void score_product(std::string_view x, std::string_view y, const Epilogue& epilogue) const {
    const Axis tokens = make_axis({shape_.s, token_stride_});
    const Axis elements = make_axis({shape_.d, 1});
    const FactorAxes axes{tokens, elements, heads()};
    launch_product(Factor<T>{axes, input<T>(checked_, x)}, Factor<T>{axes, input<T>(checked_, y)},
                   Result{make_axis({shape_.s, shape_.s}), make_axis({shape_.s, 1}), matrices()},
                   epilogue, "multiplying tokens", checked_.stream);
  }

  /// Compares the operand `name`, [s, d] of each head, with scores x or, transposed, scores^T x.
  void token_product(const double* scores, bool transposed, std::string_view x,
                     std::string_view name) const {
    const std::int64_t s = shape_.s;
    Factor<double> a;
    a.memory = scores;
    a.axes = {make_axis({s, transposed ? 1 : s}), make_axis({s, transposed ? s : 1}), matrices()};
    a.axes.depth_fast = !transposed;
    const Axis tokens = make_axis({s, token_stride_});
    const Axis elements = make_axis({shape_.d, 1});
    Factor<T> b;
    b.memory = input<T>(checked_, x);
    b.axes = {elements, tokens, heads()};
    b.axes.depth_fast = false;
    launch_product(a, b, Result{tokens, elements, heads()},
                   CompareTokens<T>{target<T>(checked_, name)}, "multiplying scores",
                   checked_.stream);
  }

  /// The heads at hand, in tensors of tokens and in those of scores.
  [[nodiscard]] Axis heads() const {
    Axis axis = make_axis({shape_.b, batch_stride_}, {shape_.h, shape_.d});
    axis.first = first_;
    axis.size = count_;
    return axis;
  }
  [[nodiscard]] Axis matrices() const { return make_axis({count_, shape_.s * shape_.s}); }

  [[nodiscard]] std::int64_t rows() const { return count_ * shape_.s; }
  [[nodiscard]] unsigned row_blocks() const {
    return static_cast<unsigned>(std::clamp<std::int64_t>(rows() / (kRowThreads / 32), 1, 8192));
  }

  const VerifyCase& checked_;
  AttentionShape shape_;
  std::int64_t heads_, most_heads_;
  double scale_;
  std::int64_t batch_stride_ = 0, token_stride_ = 0;
  std::int64_t first_ = 0, count_ = 0;  // heads at hand
};

}  // namespace

void verify_attention(const VerifyCase& checked) {
  with_real_type(checked.op.in, [&](auto stored) {
    Attention<typename decltype(stored)::type>(checked).verify();
  });
}

}  // namespace stepcast
