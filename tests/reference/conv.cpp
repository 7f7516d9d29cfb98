// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/reference/families.hpp"
#include "tests/reference/image_index.hpp"

namespace stepcast {
namespace {

/// Calls visit(x index, w index, y index) for each multiply-add of the convolution.
template <typename Visit>
void each_multiply_add(const ConvShape& s, Layout layout, Visit visit) {
  const ImageIndex x{layout, s.c, s.h, s.w};
  const ImageIndex w{layout, s.c / s.g, s.r, s.s};
  const ImageIndex y{layout, s.k, out_h(s), out_w(s)};
  const std::int64_t group_c = s.c / s.g;
  const std::int64_t group_k = s.k / s.g;
  for (std::int64_t n = 0; n < s.n; ++n) {
    for (std::int64_t k = 0; k < s.k; ++k) {
      for (std::int64_t row = 0; row < y.h; ++row) {
        for (std::int64_t column = 0; column < y.w; ++column) {
          for (std::int64_t r = 0; r < s.r; ++r) {
            const std::int64_t i = row * s.u + r - s.p;
            if (i < 0 || i >= s.h) continue;
            for (std::int64_t t = 0; t < s.s; ++t) {
              const std::int64_t j = column * s.u + t - s.p;
              if (j < 0 || j >= s.w) continue;
              for (std::int64_t c = 0; c < group_c; ++c) {
                visit(x(n, k / group_k * group_c + c, i, j), w(k, c, r, t), y(n, k, row, column));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace

void reference_conv(const Op& op, const ConvShape& shape, NamedTensors& tensors) {
  if (op.family == Family::conv_fprop) {
    const auto& x = tensors["x"];
    const auto& w = tensors["w"];
    auto& y = tensors["y"];
    std::fill(y.begin(), y.end(), 0.0);
    each_multiply_add(shape, op.layout, [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
      y[at_y] += x[at_x] * w[at_w];
    });
  } else if (op.family == Family::conv_dgrad) {
    const auto& dy = tensors["dy"];
    const auto& w = tensors["w"];
    auto& dx = tensors["dx"];
    std::fill(dx.begin(), dx.end(), 0.0);
    each_multiply_add(shape, op.layout, [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
      dx[at_x] += dy[at_y] * w[at_w];
    });
  } else {
    const auto& dy = tensors["dy"];
    const auto& x = tensors["x"];
    auto& dw = tensors["dw"];
    std::fill(dw.begin(), dw.end(), 0.0);
    each_multiply_add(shape, op.layout, [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
      dw[at_w] += dy[at_y] * x[at_x];
    });
  }
}

}  // namespace stepcast
