// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/bucket_plan.hpp"

#include <numeric>
#include <string>

#include "core/error.hpp"

namespace stepcast {

namespace {

constexpr std::int64_t kGradientBytes = 4;  // fp32 under autocast too: the cast's backward is fp32

}  // namespace

std::vector<std::int64_t> ready_order(const Model& model, std::span<const PlacedOp> ops) {
  std::vector<std::int64_t> order;
  std::vector<bool> seen(model.parameters.size(), false);
  for (const PlacedOp& placed : ops) {
    if (placed.phase != Phase::backward) continue;
    for (const std::int64_t parameter : placed.ready) {
      const auto index = static_cast<std::size_t>(parameter);
      if (index >= seen.size() || seen[index]) {
        throw DataError("recipe: " + placed.layer + "/" + placed.role + " makes parameter " +
                        std::to_string(parameter) + " of " + model.name + " ready again");
      }
      seen[index] = true;
      order.push_back(parameter);
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) {
      throw DataError("recipe: nothing makes " + model.parameters[i].name + " of " + model.name +
                      " ready");
    }
  }
  return order;
}

std::vector<ModelBucket> plan_buckets(const Model& model, std::span<const PlacedOp> ops,
                                      BucketOrder order, const BucketOptions& options) {
  std::vector<std::int64_t> parameters;
  if (order == BucketOrder::ready) {
    parameters = ready_order(model, ops);
  } else {
    parameters.resize(model.parameters.size());
    std::iota(parameters.rbegin(), parameters.rend(), 0);
  }
  std::vector<std::int64_t> sizes;
  sizes.reserve(parameters.size());
  for (const std::int64_t parameter : parameters) {
    sizes.push_back(kGradientBytes *
                    elements(model.parameters[static_cast<std::size_t>(parameter)]));
  }
  std::vector<ModelBucket> buckets;
  for (const Bucket& assigned : assign_buckets(sizes, options)) {
    ModelBucket bucket{assigned.payload, {}};
    for (const std::int64_t place : assigned.tensors) {
      bucket.parameters.push_back(parameters[static_cast<std::size_t>(place)]);
    }
    buckets.push_back(std::move(bucket));
  }
  return buckets;
}

}  // namespace stepcast
