// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// DDP's buckets of a model: comm/buckets knows bytes, this knows whose they are.

#include <cstdint>
#include <span>
#include <vector>

#include "comm/buckets.hpp"
#include "core/enum_names.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

/// registration: parameters from the last registered to the first. ready: as the backward pass
/// completes their gradients, which is what DDP goes by after its first step.
enum class BucketOrder { registration, ready };

inline constexpr EnumNames<BucketOrder, 2> kBucketOrderNames{
    {{BucketOrder::registration, "registration"}, {BucketOrder::ready, "ready"}}};

struct ModelBucket {
  Bytes payload;
  std::vector<std::int64_t> parameters;  // indices into Model::parameters
};

/// Indices into Model::parameters in the order in which `ops` make them ready.
/// Errors: DataError that names a parameter which is made ready never, or twice.
std::vector<std::int64_t> ready_order(const Model& model, std::span<const PlacedOp> ops);

/// Buckets of the model's fp32 gradients (4 bytes a parameter), first to be reduced first.
/// `ops` are a DDP recipe's; only BucketOrder::ready reads them.
/// Errors: those of ready_order() and assign_buckets().
std::vector<ModelBucket> plan_buckets(const Model& model, std::span<const PlacedOp> ops,
                                      BucketOrder order, const BucketOptions& options);

}  // namespace stepcast
