// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of recipes look at: a step's ops as text, and its kernels counted.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "layers/cost.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

inline RecipeOptions options(RecipeKind kind, DType precision, std::int64_t batch, bool ddp,
                             Layout layout = Layout::nhwc) {
  return {kind, precision, layout, batch, ddp};
}

/// `layer role key` of each op of a phase whose layer's name begins with `prefix`; ` x3` behind it
/// where the op runs three times. The prefix itself is left out.
inline std::vector<std::string> lines(const std::vector<PlacedOp>& ops, Phase phase,
                                      std::string_view prefix) {
  std::vector<std::string> text;
  for (const PlacedOp& placed : ops) {
    if (placed.phase != phase || placed.layer.rfind(prefix, 0) != 0) continue;
    text.push_back(placed.layer.substr(prefix.size()) + " " + placed.role + " " + key(placed.op));
    if (placed.count > 1) text.back() += " x" + std::to_string(placed.count);
  }
  return text;
}

/// Kernels of the ops for which `counts` is true.
inline std::int64_t kernels_of(const std::vector<PlacedOp>& ops,
                               const std::function<bool(const PlacedOp&)>& counts) {
  std::int64_t sum = 0;
  for (const PlacedOp& placed : ops) {
    if (counts(placed)) sum += kernels(placed.op) * placed.count;
  }
  return sum;
}

inline std::int64_t kernels_of(const std::vector<PlacedOp>& ops, OpClass op_class_counted) {
  return kernels_of(
      ops, [&](const PlacedOp& placed) { return op_class(placed.op.family) == op_class_counted; });
}

inline std::int64_t kernels_of(const std::vector<PlacedOp>& ops, Family family) {
  return kernels_of(ops, [&](const PlacedOp& placed) { return placed.op.family == family; });
}

}  // namespace stepcast
