// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipe.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "layers/recipes/recipes.hpp"

namespace stepcast {
namespace {

void check(const RecipeOptions& options) {
  if (element_bytes(options.precision) > 4 || element_bytes(options.precision) < 2) {
    throw DataError(
        fmt::format("precision: '{}' is none of fp32 tf32 fp16 bf16", name(options.precision)));
  }
  if (options.layout != Layout::nchw && options.layout != Layout::nhwc) {
    throw DataError(fmt::format("layout: '{}' is none of nchw nhwc", name(options.layout)));
  }
  if (options.batch < 1) {
    throw DataError(fmt::format("batch: {} is not at least 1 image", options.batch));
  }
}

}  // namespace

std::vector<PlacedOp> step_ops(const Model& model, const RecipeOptions& options) {
  check(options);
  return options.kind == RecipeKind::eager ? eager_step(model, options)
                                           : fused_step(model, options);
}

std::string place_name(const PlacedOp& placed, const RecipeOptions& options) {
  return fmt::format("{}/{}/{}/{}/{}/n{}", placed.layer, placed.role, name(placed.op.provider),
                     name(options.precision), name(options.layout), options.batch);
}

}  // namespace stepcast
