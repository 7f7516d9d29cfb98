// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResNet as torchvision defines it (models/resnet.py): the stride of a bottleneck is in its 3x3
// convolution.

#include <array>
#include <cstdint>
#include <string_view>

#include "layers/model.hpp"

namespace stepcast {

struct ResNetSpec {
  bool bottleneck = true;                // blocks of 1x1, 3x3, 1x1; else of two 3x3
  std::array<std::int64_t, 4> blocks{};  // in each stage
};

/// Errors: DataError if the image is smaller than 32 x 32 (five halvings).
Model make_resnet(std::string_view name, const ResNetSpec& spec, std::int64_t image_size,
                  std::int64_t classes);

}  // namespace stepcast
