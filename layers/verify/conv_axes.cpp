// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// Convolutions as products. The letters are those of ConvShape; c and k are counted within a group,
// which is the batch.

#include <cstdint>
#include <variant>

#include "layers/verify/product_axes.hpp"

namespace stepcast {
namespace {

/// Steps in memory between neighbours in each dimension; `slow` is n of an image, k of filters.
struct Strides {
  std::int64_t slow, channel, row, column;
};

Strides strides(Layout layout, std::int64_t channels, std::int64_t height, std::int64_t width) {
  if (layout == Layout::nhwc) return {height * width * channels, 1, width * channels, channels};
  return {channels * height * width, height * width, width, 1};
}

/// The op's sizes and strides, in the letters of the equations.
struct Conv {
  explicit Conv(const Op& op)
      : s(std::get<ConvShape>(op.shape)),
        nhwc(op.layout == Layout::nhwc),
        c(s.c / s.g),
        k(s.k / s.g),
        height(out_h(s)),
        width(out_w(s)),
        x(strides(op.layout, s.c, s.h, s.w)),
        w(strides(op.layout, c, s.r, s.s)),
        y(strides(op.layout, s.k, height, width)) {}

  /// Channels and a window, in the order in which filters and images have them in memory.
  [[nodiscard]] Axis window(const Digit& channel, const Digit& row, const Digit& column) const {
    return nhwc ? make_axis(row, column, channel) : make_axis(channel, row, column);
  }

  /// Places (n, i, j) in x of the windows' first elements, which may be outside.
  [[nodiscard]] Axis windows() const {
    const int u = static_cast<int>(s.u);
    Axis axis =
        make_axis({s.n, x.slow}, {height, s.u * x.row, u, 0}, {width, s.u * x.column, 0, u});
    axis.origin = -s.p * (x.row + x.column);
    axis.row = axis.column = static_cast<int>(-s.p);
    return axis;
  }

  /// Places (n, H, W) in y.
  [[nodiscard]] Axis outputs() const {
    return make_axis({s.n, y.slow}, {height, y.row}, {width, y.column});
  }

  /// (c, r, s) in x, from the first element of a window.
  [[nodiscard]] Axis taps() const {
    return window({c, x.channel}, {s.r, x.row, 1, 0}, {s.s, x.column, 0, 1});
  }

  /// (c, r, s) in a filter.
  [[nodiscard]] Axis filter() const {
    return window({c, w.channel}, {s.r, w.row}, {s.s, w.column});
  }

  [[nodiscard]] Axis groups(std::int64_t stride) const { return make_axis({s.g, stride}); }

  const ConvShape& s;
  bool nhwc;
  std::int64_t c, k;  // of a group
  std::int64_t height, width;
  Strides x, w, y;
};

/// A product of places in an image, those of operand 0, and of channels, those of operand 1. What
/// is contiguous in memory becomes the columns, which neighbouring threads compare.
ProductAxes image_product(const Conv& conv, const FactorAxes& places, const FactorAxes& channels,
                          const Axis& place, const Digit& channel, std::int64_t group_stride) {
  const Axis along = make_axis(channel);
  const Axis groups = conv.groups(group_stride);
  if (conv.nhwc) return {places, channels, {place, along, groups}, 0, 1};
  return {channels, places, {along, place, groups}, 1, 0};
}

/// y[(n,H,W), k] = sum over (c,r,s) of x w.
ProductAxes fprop(const Conv& conv) {
  FactorAxes x{conv.windows(), conv.taps(), conv.groups(conv.c * conv.x.channel)};
  x.height = static_cast<int>(conv.s.h);
  x.width = static_cast<int>(conv.s.w);
  x.depth_fast = conv.nhwc;
  const FactorAxes w{make_axis({conv.k, conv.w.slow}), conv.filter(),
                     conv.groups(conv.k * conv.w.slow)};
  return image_product(conv, x, w, conv.outputs(), {conv.k, conv.y.channel},
                       conv.k * conv.y.channel);
}

/// One dimension of dx: the elements a, a + u, a + 2 u, ..., which the same taps r = b, b + u, ...
/// of the filter reach, from y at (a + p - b) / u + i for the first tap, one less for each further.
struct Phase {
  Phase(std::int64_t a, std::int64_t size, std::int64_t window, std::int64_t u, std::int64_t p)
      : first(a),
        count(a < size ? (size - a + u - 1) / u : 0),
        tap((a + p) % u),
        taps(tap < window ? (window - tap + u - 1) / u : 0),
        output((a + p - tap) / u) {}

  std::int64_t first, count, tap, taps, output;
};

/// dx[(n,i,j), c] = sum over (k,r,s) of dy w, for the elements of a phase in each dimension.
ProductAxes dgrad(const Conv& conv, const Phase& i, const Phase& j) {
  const Strides& y = conv.y;
  FactorAxes dy{
      make_axis({conv.s.n, y.slow}, {i.count, y.row, 1, 0}, {j.count, y.column, 0, 1}),
      conv.window({conv.k, y.channel}, {i.taps, -y.row, -1, 0}, {j.taps, -y.column, 0, -1}),
      conv.groups(conv.k * y.channel)};
  dy.outer.origin = i.output * y.row + j.output * y.column;
  dy.outer.row = static_cast<int>(i.output);
  dy.outer.column = static_cast<int>(j.output);
  dy.height = static_cast<int>(conv.height);
  dy.width = static_cast<int>(conv.width);
  dy.depth_fast = conv.nhwc;
  const std::int64_t u = conv.s.u;
  FactorAxes w{
      make_axis({conv.c, conv.w.channel}),
      conv.window({conv.k, conv.w.slow}, {i.taps, u * conv.w.row}, {j.taps, u * conv.w.column}),
      conv.groups(conv.k * conv.w.slow)};
  w.depth.origin = i.tap * conv.w.row + j.tap * conv.w.column;
  w.depth_fast = !conv.nhwc;
  Axis place =
      make_axis({conv.s.n, conv.x.slow}, {i.count, u * conv.x.row}, {j.count, u * conv.x.column});
  place.origin = i.first * conv.x.row + j.first * conv.x.column;
  return image_product(conv, dy, w, place, {conv.c, conv.x.channel}, conv.c * conv.x.channel);
}

/// dw[k, (c,r,s)] = sum over (n,H,W) of dy x.
ProductAxes wgrad(const Conv& conv) {
  FactorAxes dy{make_axis({conv.k, conv.y.channel}), conv.outputs(),
                conv.groups(conv.k * conv.y.channel)};
  dy.depth_fast = !conv.nhwc;
  FactorAxes x{conv.taps(), conv.windows(), conv.groups(conv.c * conv.x.channel)};
  x.height = static_cast<int>(conv.s.h);
  x.width = static_cast<int>(conv.s.w);
  x.depth_fast = !conv.nhwc;
  const Result dw{make_axis({conv.k, conv.w.slow}), conv.filter(),
                  conv.groups(conv.k * conv.w.slow)};
  return {dy, x, dw};
}

}  // namespace

std::vector<ProductAxes> conv_products(const Op& op) {
  const Conv conv(op);
  if (op.family == Family::conv_fprop) return {fprop(conv)};
  if (op.family == Family::conv_wgrad) return {wgrad(conv)};
  const ConvShape& s = conv.s;
  std::vector<ProductAxes> products;
  for (std::int64_t a = 0; a < s.u; ++a) {
    for (std::int64_t b = 0; b < s.u; ++b) {
      products.push_back(dgrad(conv, Phase(a, s.h, s.r, s.u, s.p), Phase(b, s.w, s.s, s.u, s.p)));
    }
  }
  return products;
}

}  // namespace stepcast
