// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/reference/families.hpp"

namespace stepcast {
namespace {

/// One batch and head: where its rows lie in q, k, v, o and in stats.
struct Head {
  const AttentionShape& shape;
  Layout layout;
  std::int64_t b, h;

  [[nodiscard]] std::size_t at(std::int64_t token, std::int64_t element) const {
    const std::int64_t row = layout == Layout::bshd ? b * shape.s + token : token * shape.b + b;
    return static_cast<std::size_t>((row * shape.h + h) * shape.d + element);
  }
  [[nodiscard]] std::size_t stat(std::int64_t token) const {
    return static_cast<std::size_t>((b * shape.h + h) * shape.s + token);
  }
  /// Product of row i of one tensor and row j of another.
  [[nodiscard]] double dot(const std::vector<double>& x, std::int64_t i,
                           const std::vector<double>& y, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t e = 0; e < shape.d; ++e) sum += x[at(i, e)] * y[at(j, e)];
    return sum;
  }
};

double scale(const AttentionShape& shape) { return 1.0 / std::sqrt(static_cast<double>(shape.d)); }

template <typename Visit>
void each_head(const AttentionShape& shape, Layout layout, Visit visit) {
  for (std::int64_t b = 0; b < shape.b; ++b) {
    for (std::int64_t h = 0; h < shape.h; ++h) visit(Head{shape, layout, b, h});
  }
}

void forward(const Op& op, const AttentionShape& shape, NamedTensors& tensors) {
  const auto& q = tensors["q"];
  const auto& k = tensors["k"];
  const auto& v = tensors["v"];
  auto& o = tensors["o"];
  auto& stats = tensors["stats"];
  std::fill(o.begin(), o.end(), 0.0);
  each_head(shape, op.layout, [&](const Head& head) {
    std::vector<double> a(static_cast<std::size_t>(shape.s));
    for (std::int64_t i = 0; i < shape.s; ++i) {
      for (std::int64_t j = 0; j < shape.s; ++j) {
        a[static_cast<std::size_t>(j)] = head.dot(q, i, k, j) * scale(shape);
      }
      const double largest = *std::max_element(a.begin(), a.end());
      double sum = 0;
      for (const double value : a) sum += std::exp(value - largest);
      const double stat = largest + std::log(sum);
      stats[head.stat(i)] = stat;
      for (std::int64_t j = 0; j < shape.s; ++j) {
        const double p = std::exp(a[static_cast<std::size_t>(j)] - stat);
        for (std::int64_t e = 0; e < shape.d; ++e) o[head.at(i, e)] += p * v[head.at(j, e)];
      }
    }
  });
}

void backward(const Op& op, const AttentionShape& shape, NamedTensors& tensors) {
  const auto& q = tensors["q"];
  const auto& k = tensors["k"];
  const auto& v = tensors["v"];
  const auto& out_gradient = tensors["do"];
  const auto& o = tensors["o"];
  const auto& stats = tensors["stats"];
  auto& dq = tensors["dq"];
  auto& dk = tensors["dk"];
  auto& dv = tensors["dv"];
  for (auto* result : {&dq, &dk, &dv}) std::fill(result->begin(), result->end(), 0.0);
  each_head(shape, op.layout, [&](const Head& head) {
    for (std::int64_t i = 0; i < shape.s; ++i) {
      const double mean = head.dot(out_gradient, i, o, i);
      for (std::int64_t j = 0; j < shape.s; ++j) {
        const double p = std::exp(head.dot(q, i, k, j) * scale(shape) - stats[head.stat(i)]);
        const double da = p * (head.dot(out_gradient, i, v, j) - mean) * scale(shape);
        for (std::int64_t e = 0; e < shape.d; ++e) {
          dq[head.at(i, e)] += da * k[head.at(j, e)];
          dk[head.at(j, e)] += da * q[head.at(i, e)];
          dv[head.at(j, e)] += p * out_gradient[head.at(i, e)];
        }
      }
    }
  });
}

}  // namespace

void reference_attention(const Op& op, const AttentionShape& shape, NamedTensors& tensors) {
  op.family == Family::attention_fwd ? forward(op, shape, tensors) : backward(op, shape, tensors);
}

void derive_attention(const Op& op, const AttentionShape& shape, NamedTensors& tensors) {
  forward(op, shape, tensors);
}

}  // namespace stepcast
