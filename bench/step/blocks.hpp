// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks: the ops of a residual bottleneck or an encoder block, back to back, as one case a
// direction.

#include <vector>

#include "bench/cases.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

/// The blocks of a model, in order, named
/// <model>/<block>/forward|backward/<recipe>/<precision>/<layout>/n<batch>. A block's ops are those
/// whose layer begins with its name (layer3.7., encoder.5.), without DDP's copies. Session times
/// them chained and apart.
/// Errors: DataError from step_ops.
std::vector<Case> block_cases(const Model& model, const RecipeOptions& options);

}  // namespace stepcast
