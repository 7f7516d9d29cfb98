// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Windows of pooling: which places of an image a window holds, and which windows hold a place.

#include <cstdint>
#include <variant>

#include "layers/op.hpp"
#include "layers/verify/walk.cuh"

namespace stepcast {

/// A pixel of an image or of a pooled image, of one channel.
struct Pixel {
  std::int64_t image, channel, row, column;
};

/// Images of c channels, h x w, stored as layout says.
struct Images {
  std::int64_t n, c, h, w;
  bool nhwc;

  [[nodiscard]] ChannelView view() const {
    return nhwc ? ChannelView{n * h * w, c, 1} : ChannelView{n, c, h * w};
  }
  __device__ __forceinline__ Pixel pixel(const Element& element) const {
    const std::int64_t image = nhwc ? element.outer / (h * w) : element.outer;
    const std::int64_t place = nhwc ? element.outer - image * (h * w) : element.inner;
    const std::int64_t row = place / w;
    return {image, element.channel, row, place - row * w};
  }
  __device__ __forceinline__ std::int64_t index(std::int64_t image, std::int64_t channel,
                                                std::int64_t row, std::int64_t column) const {
    return nhwc ? ((image * h + row) * w + column) * c + channel
                : ((image * c + channel) * h + row) * w + column;
  }
};

/// A half-open range of rows or columns.
struct Range {
  std::int64_t begin, end;
};

/// Windows of r x r places that begin at (row u - p, column u - p).
struct Windows {
  Images x, y;
  std::int64_t r, u, p;

  explicit Windows(const Op& op) {
    const auto& s = std::get<PoolShape>(op.shape);
    const bool nhwc = op.layout == Layout::nhwc;
    x = {s.n, s.c, s.h, s.w, nhwc};
    y = {s.n, s.c, out_h(s), out_w(s), nhwc};
    r = s.r;
    u = s.u;
    p = s.p;
  }

  /// The rows (or columns) of an image of `size` that the window at `place` holds.
  __device__ __forceinline__ Range held(std::int64_t place, std::int64_t size) const {
    const std::int64_t begin = place * u - p;
    return {begin > 0 ? begin : 0, begin + r < size ? begin + r : size};
  }
  /// The windows, of `count` in a row (or column), that hold the image's `place`.
  __device__ __forceinline__ Range holding(std::int64_t place, std::int64_t count) const {
    const std::int64_t last = (place + p) / u;           // begins at the place or before it
    const std::int64_t first = (place + p - r + u) / u;  // the first that does not end before
    return {place + p < r ? 0 : first, last + 1 < count ? last + 1 : count};
  }
  /// A place counted row by row from the corner of the window at (window_row, window_column).
  __device__ __forceinline__ std::int64_t in_window(std::int64_t row, std::int64_t column,
                                                    std::int64_t window_row,
                                                    std::int64_t window_column) const {
    return (row - window_row * u + p) * r + column - window_column * u + p;
  }
};

}  // namespace stepcast
