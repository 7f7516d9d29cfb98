// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where an element of an image or a filter lies in memory.

#include <cstddef>
#include <cstdint>

#include "layers/op.hpp"

namespace stepcast {

/// Images of c channels, h x w, stored as layout says; filters are images of c/g channels, r x s.
struct ImageIndex {
  Layout layout;
  std::int64_t c, h, w;

  [[nodiscard]] std::size_t operator()(std::int64_t image, std::int64_t channel, std::int64_t row,
                                       std::int64_t column) const {
    const std::int64_t place = layout == Layout::nhwc
                                   ? ((image * h + row) * w + column) * c + channel
                                   : ((image * c + channel) * h + row) * w + column;
    return static_cast<std::size_t>(place);
  }
};

}  // namespace stepcast
