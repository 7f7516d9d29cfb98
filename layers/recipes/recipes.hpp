// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The recipes that step_ops() chooses from; it has checked the options.

#include <vector>

#include "layers/model.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

std::vector<PlacedOp> eager_step(const Model& model, const RecipeOptions& options);
std::vector<PlacedOp> fused_step(const Model& model, const RecipeOptions& options);

}  // namespace stepcast
