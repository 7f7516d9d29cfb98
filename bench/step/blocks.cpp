// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/step/blocks.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace stepcast {
namespace {

/// Whether the part of a dotted name that begins at `from` is a number with a dot behind it; gives
/// the place of that dot.
std::optional<std::size_t> number_before_dot(std::string_view text, std::size_t from) {
  const std::size_t dot = text.find('.', from);
  if (dot == std::string_view::npos || dot == from) return std::nullopt;
  const auto part = text.substr(from, dot - from);
  const bool digits =
      std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits ? std::optional(dot) : std::nullopt;
}

/// layer3.7 of layer3.7.conv2, encoder.5 of encoder.5.mlp.fc1; "" for layers outside of blocks.
std::string_view block_of(std::string_view layer) {
  const std::size_t dot = layer.find('.');
  if (dot == std::string_view::npos) return {};
  const bool is_stage = layer.starts_with("layer") || layer.substr(0, dot) == "encoder";
  if (!is_stage) return {};
  const auto end = number_before_dot(layer, dot + 1);
  return end ? layer.substr(0, *end) : std::string_view{};
}

}  // namespace

std::vector<Case> block_cases(const Model& model, const RecipeOptions& options) {
  RecipeOptions without_ddp = options;
  without_ddp.ddp = false;
  const std::string suffix = "/" + std::string(enum_name(kRecipeNames, options.kind)) + "/" +
                             std::string(name(options.precision)) + "/" +
                             std::string(name(options.layout)) + "/n" +
                             std::to_string(options.batch);
  std::vector<Case> cases;
  for (const PlacedOp& placed : step_ops(model, without_ddp)) {
    const bool in_pass = placed.phase == Phase::forward || placed.phase == Phase::backward;
    const std::string_view block = block_of(placed.layer);
    if (!in_pass || block.empty()) continue;
    const std::string case_name = model.name + "/" + std::string(block) + "/" +
                                  std::string(enum_name(kPhaseNames, placed.phase)) + suffix;
    auto found = std::find_if(cases.begin(), cases.end(),
                              [&](const Case& known) { return known.name == case_name; });
    if (found == cases.end()) found = cases.insert(cases.end(), {case_name, {}});
    found->ops.insert(found->ops.end(), static_cast<std::size_t>(placed.count), placed.op);
  }
  return cases;
}

}  // namespace stepcast
