// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/pool.cuh"

#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

/// The largest value of a window inside the image, and its place in the window (uint8) or in the
/// plane (int64): the first of several, and NaN wins.
struct Largest {
  double value;
  std::int64_t place;
};

template <typename T, typename Index>
struct WindowMaximum : NoState {
  const T* x;
  Windows windows;

  WindowMaximum(const T* images, const Windows& all) : x(images), windows(all) {}
  __device__ __forceinline__ Largest read(const Element& element) const {
    const Pixel pixel = windows.y.pixel(element);
    const Range rows = windows.held(pixel.row, windows.x.h);
    const Range columns = windows.held(pixel.column, windows.x.w);
    Largest best{0, -1};
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const double value = to_double(x[windows.x.index(pixel.image, pixel.channel, row, column)]);
        const bool larger = value > best.value || (isnan(value) && !isnan(best.value));
        if (best.place < 0 || larger) best = {value, place(row, column, pixel)};
      }
    }
    return best;
  }
  __device__ __forceinline__ double want(const Largest& largest, State) const {
    return largest.value;
  }

 private:
  __device__ __forceinline__ std::int64_t place(std::int64_t row, std::int64_t column,
                                                const Pixel& pixel) const {
    if constexpr (sizeof(Index) == 1) {
      return windows.in_window(row, column, pixel.row, pixel.column);
    } else {
      return row * windows.x.w + column;
    }
  }
};

template <typename T, typename Index>
struct PlaceOfMaximum : WindowMaximum<T, Index> {
  using WindowMaximum<T, Index>::WindowMaximum;
  __device__ __forceinline__ double want(const Largest& largest, NoState::State) const {
    return static_cast<double>(largest.place);
  }
};

/// dx = sum of the dy whose index names the place.
template <typename T, typename Index>
struct MaximumGradient : NoState {
  const T* dy;
  const Index* index;
  Windows windows;

  MaximumGradient(const T* gradient, const Index* places, const Windows& all)
      : dy(gradient), index(places), windows(all) {}
  __device__ __forceinline__ double read(const Element& element) const {
    const Pixel pixel = windows.x.pixel(element);
    const Range rows = windows.holding(pixel.row, windows.y.h);
    const Range columns = windows.holding(pixel.column, windows.y.w);
    double sum = 0;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t at = windows.y.index(pixel.image, pixel.channel, row, column);
        const std::int64_t here = sizeof(Index) == 1
                                      ? windows.in_window(pixel.row, pixel.column, row, column)
                                      : pixel.row * windows.x.w + pixel.column;
        if (static_cast<std::int64_t>(index[at]) == here) sum += to_double(dy[at]);
      }
    }
    return sum;
  }
  __device__ __forceinline__ double want(double sum, State) const { return sum; }
};

/// y = sum / r^2 over a window: padding counts as zeros.
template <typename T>
struct WindowMean : NoState {
  const T* x;
  Windows windows;

  WindowMean(const T* images, const Windows& all) : x(images), windows(all) {}
  __device__ __forceinline__ double read(const Element& element) const {
    const Pixel pixel = windows.y.pixel(element);
    const Range rows = windows.held(pixel.row, windows.x.h);
    const Range columns = windows.held(pixel.column, windows.x.w);
    double sum = 0;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        sum += to_double(x[windows.x.index(pixel.image, pixel.channel, row, column)]);
      }
    }
    return sum;
  }
  __device__ __forceinline__ double want(double sum, State) const {
    return sum / static_cast<double>(windows.r * windows.r);
  }
};

/// dx = sum of dy / r^2 over the windows that hold the place.
template <typename T>
struct MeanGradient : NoState {
  const T* dy;
  Windows windows;

  MeanGradient(const T* gradient, const Windows& all) : dy(gradient), windows(all) {}
  __device__ __forceinline__ double read(const Element& element) const {
    const Pixel pixel = windows.x.pixel(element);
    const Range rows = windows.holding(pixel.row, windows.y.h);
    const Range columns = windows.holding(pixel.column, windows.y.w);
    double sum = 0;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        sum += to_double(dy[windows.y.index(pixel.image, pixel.channel, row, column)]);
      }
    }
    return sum;
  }
  __device__ __forceinline__ double want(double sum, State) const {
    return sum / static_cast<double>(windows.r * windows.r);
  }
};

template <typename T, typename Index>
void verify_maximum(const VerifyCase& checked, const Windows& windows) {
  if (checked.op.family == Family::maxpool_fwd) {
    const auto* x = input<T>(checked, "x");
    const ChannelView view = windows.y.view();
    compare_all<T>(checked, "y", view, WindowMaximum<T, Index>(x, windows));
    compare_all<Index>(checked, "index", view, PlaceOfMaximum<T, Index>(x, windows));
  } else {
    compare_all<T>(
        checked, "dx", windows.x.view(),
        MaximumGradient(input<T>(checked, "dy"), input<Index>(checked, "index"), windows));
  }
}

template <typename T>
void verify_pool_of(const VerifyCase& checked) {
  const Windows windows(checked.op);
  switch (checked.op.family) {
    case Family::avgpool_fwd:
      return compare_all<T>(checked, "y", windows.y.view(),
                            WindowMean(input<T>(checked, "x"), windows));
    case Family::avgpool_bwd:
      return compare_all<T>(checked, "dx", windows.x.view(),
                            MeanGradient(input<T>(checked, "dy"), windows));
    default:  // the native provider remembers places as PyTorch does
      return checked.op.provider == Provider::native
                 ? verify_maximum<T, std::int64_t>(checked, windows)
                 : verify_maximum<T, std::uint8_t>(checked, windows);
  }
}

}  // namespace

void verify_pool(const VerifyCase& checked) {
  with_real_type(checked.op.in,
                 [&](auto type) { verify_pool_of<typename decltype(type)::type>(checked); });
}

}  // namespace stepcast
