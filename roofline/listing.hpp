// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables of `stepcast list`.

#include "comm/buckets.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"
#include "roofline/bucket_plan.hpp"
#include "roofline/table.hpp"

namespace stepcast {

Table list_models();

/// Layers in forward order, with the work of a step that the recipe places there.
Table list_layers(const Model& model, const RecipeOptions& recipe);

/// Distinct ops by key, in the step's order: how often a step runs each, and what one run costs.
Table list_ops(const Model& model, const RecipeOptions& recipe);

/// Buckets, first to be reduced first. `recipe` is read for BucketOrder::ready alone.
Table list_buckets(const Model& model, const RecipeOptions& recipe, BucketOrder order,
                   const BucketOptions& options);

/// Rows of data/gpus.csv. Errors: DataError of read_csv.
Table list_gpus();

}  // namespace stepcast
