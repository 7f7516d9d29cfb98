// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vision transformer as torchvision defines it (models/vision_transformer.py), without dropout.

#include <cstdint>
#include <string_view>

#include "layers/model.hpp"

namespace stepcast {

struct VitSpec {
  std::int64_t patch = 16;
  std::int64_t blocks = 12;
  std::int64_t heads = 12;
  std::int64_t width = 768;
  std::int64_t mlp_width = 3072;
};

/// Errors: DataError if the image size is not a positive multiple of the patch size.
Model make_vit(std::string_view name, const VitSpec& spec, std::int64_t image_size,
               std::int64_t classes);

}  // namespace stepcast
