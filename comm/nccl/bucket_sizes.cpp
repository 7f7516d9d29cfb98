// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/bucket_sizes.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "comm/buckets.hpp"
#include "core/error.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kGradientBytes = 4;  // fp32, under autocast too

void insert_buckets(std::set<std::int64_t>& sizes, const std::vector<std::int64_t>& tensors,
                    Bytes cap) {
  for (const Bucket& bucket : assign_buckets(tensors, {mib(1), cap})) {
    sizes.insert(static_cast<std::int64_t>(bucket.payload.count()));
  }
}

}  // namespace

std::vector<std::int64_t> bucket_sizes(const std::vector<std::string>& models, Bytes cap) {
  std::set<std::int64_t> sizes;
  for (const std::string& name : models) {
    const auto known = model_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string message = "--buckets: '" + name + "' is none of";
      for (const std::string_view one : known) message += " " + std::string(one);
      throw UsageError(message);
    }
    const Model model = make_model(name);
    std::vector<std::int64_t> registered;
    std::transform(model.parameters.rbegin(), model.parameters.rend(),
                   std::back_inserter(registered),
                   [](const Parameter& one) { return kGradientBytes * elements(one); });
    insert_buckets(sizes, registered, cap);

    std::vector<std::int64_t> ready;
    for (const PlacedOp& placed : step_ops(model, {})) {
      if (placed.phase != Phase::backward) continue;
      for (const std::int64_t parameter : placed.ready) {
        ready.push_back(kGradientBytes *
                        elements(model.parameters.at(static_cast<std::size_t>(parameter))));
      }
    }
    insert_buckets(sizes, ready, cap);
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace stepcast
