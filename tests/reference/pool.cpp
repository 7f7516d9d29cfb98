// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/reference/families.hpp"
#include "tests/reference/image_index.hpp"

namespace stepcast {
namespace {

/// A place of a window that lies inside the image.
struct Place {
  std::int64_t row, column;  // in the image
  std::int64_t in_window;    // counted row by row from the window's corner
};

/// The places of the window at output row and column, row by row.
std::vector<Place> window(const PoolShape& s, std::int64_t row, std::int64_t column) {
  std::vector<Place> places;
  for (std::int64_t i = 0; i < s.r; ++i) {
    for (std::int64_t j = 0; j < s.r; ++j) {
      const Place place{row * s.u - s.p + i, column * s.u - s.p + j, i * s.r + j};
      const bool inside =
          place.row >= 0 && place.row < s.h && place.column >= 0 && place.column < s.w;
      if (inside) places.push_back(place);
    }
  }
  return places;
}

/// Calls visit(index in y, places of its window, function from a place to the index in x).
template <typename Visit>
void each_window(const PoolShape& s, Layout layout, Visit visit) {
  const ImageIndex at_x{layout, s.c, s.h, s.w};
  const ImageIndex at_y{layout, s.c, out_h(s), out_w(s)};
  for (std::int64_t row = 0; row < at_y.h; ++row) {
    for (std::int64_t column = 0; column < at_y.w; ++column) {
      const auto places = window(s, row, column);
      for (std::int64_t n = 0; n < s.n; ++n) {
        for (std::int64_t c = 0; c < s.c; ++c) {
          visit(at_y(n, c, row, column), places,
                [&](const Place& place) { return at_x(n, c, place.row, place.column); });
        }
      }
    }
  }
}

/// What the provider remembers of a place.
double remembered(Provider provider, const PoolShape& s, const Place& place) {
  return static_cast<double>(provider == Provider::native ? place.row * s.w + place.column
                                                          : place.in_window);
}

template <typename Write>
void max_of_windows(const Op& op, const PoolShape& shape, const std::vector<double>& x,
                    Write write) {
  each_window(shape, op.layout, [&](std::size_t y, const auto& places, auto at_x) {
    const Place* best = &places.front();
    for (const Place& place : places) {
      const double value = x[at_x(place)];
      if (value > x[at_x(*best)] || (std::isnan(value) && !std::isnan(x[at_x(*best)]))) {
        best = &place;
      }
    }
    write(y, x[at_x(*best)], remembered(op.provider, shape, *best));
  });
}

}  // namespace

void reference_pool(const Op& op, const PoolShape& shape, NamedTensors& tensors) {
  const double share = 1.0 / static_cast<double>(shape.r * shape.r);
  if (op.family == Family::maxpool_fwd) {
    max_of_windows(op, shape, tensors["x"], [&](std::size_t y, double value, double index) {
      tensors["y"][y] = value;
      tensors["index"][y] = index;
    });
  } else if (op.family == Family::avgpool_fwd) {
    const auto& x = tensors["x"];
    each_window(shape, op.layout, [&](std::size_t y, const auto& places, auto at_x) {
      double sum = 0;
      for (const Place& place : places) sum += x[at_x(place)];
      tensors["y"][y] = sum * share;
    });
  } else {
    const auto& dy = tensors["dy"];
    auto& dx = tensors["dx"];
    std::fill(dx.begin(), dx.end(), 0.0);
    each_window(shape, op.layout, [&](std::size_t y, const auto& places, auto at_x) {
      for (const Place& place : places) {
        if (op.family == Family::avgpool_bwd) {
          dx[at_x(place)] += dy[y] * share;
        } else if (tensors["index"][y] == remembered(op.provider, shape, place)) {
          dx[at_x(place)] += dy[y];
        }
      }
    });
  }
}

void derive_maxpool(const Op& op, const PoolShape& shape, NamedTensors& tensors) {
  max_of_windows(op, shape, tensors["x"],
                 [&](std::size_t y, double, double index) { tensors["index"][y] = index; });
}

}  // namespace stepcast
