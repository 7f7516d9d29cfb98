// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <unordered_set>

#include "bench/step/blocks.hpp"
#include "core/error.hpp"
#include "layers/model.hpp"
#include "layers/recipe.hpp"

namespace stepcast {
namespace {

std::string place_case_name(const Model& model, const PlacedOp& placed,
                            const RecipeOptions& recipe) {
  std::string name = model.name + "/" + place_name(placed, recipe);
  if (recipe.kind != RecipeKind::eager) {
    name += "/" + std::string(enum_name(kRecipeNames, recipe.kind));
  }
  return name;
}

/// The step's ops, or nothing and the recipe's own reason.
std::optional<std::vector<PlacedOp>> try_step_ops(const Model& model, const RecipeOptions& recipe,
                                                  std::string& reason) {
  try {
    return step_ops(model, recipe);
  } catch (const DataError& error) {
    reason = error.what();
    return std::nullopt;
  }
}

class Lister {
 public:
  explicit Lister(const BenchOptions& options) : options_(options) {}

  Cases list() {
    for (const std::string& model_name : options_.models) {
      const Model model = make_model(model_name, options_.image_size);
      for (const RecipeKind kind : options_.recipes) {
        for (const DType precision : options_.precisions) add(model, kind, precision);
      }
    }
    return std::move(result_);
  }

 private:
  void add(const Model& model, RecipeKind kind, DType precision) {
    bool any = false;
    for (const Layout layout : options_.layouts) any |= add(model, kind, precision, layout);
    if (any) return;
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      if (!add(model, kind, precision, layout)) continue;
      note(model.name + ", " + std::string(enum_name(kRecipeNames, kind)) + ": registered in " +
           std::string(name(layout)) + ", the layout that the recipe takes");
      return;
    }
  }

  bool add(const Model& model, RecipeKind kind, DType precision, Layout layout) {
    for (const std::int64_t batch : options_.batches) {
      const RecipeOptions recipe{kind, precision, layout, batch, options_.ddp};
      std::string reason;
      const auto ops = try_step_ops(model, recipe, reason);
      if (!ops) {
        note(model.name + ", " + std::string(enum_name(kRecipeNames, kind)) + ", " +
             std::string(name(layout)) + ": left out: " + reason);
        return false;
      }
      for (const PlacedOp& placed : *ops) {
        result_.cases.push_back({place_case_name(model, placed, recipe), {placed.op}});
      }
      if (options_.blocks) {
        for (Case& block : block_cases(model, recipe)) result_.cases.push_back(std::move(block));
      }
    }
    return true;
  }

  void note(const std::string& text) {
    if (std::find(result_.notes.begin(), result_.notes.end(), text) == result_.notes.end()) {
      result_.notes.push_back(text);
    }
  }

  const BenchOptions& options_;
  Cases result_;
};

}  // namespace

Cases list_cases(const BenchOptions& options) { return Lister(options).list(); }

std::string identity(const Case& chosen) {
  std::string text;
  for (const Op& op : chosen.ops) text += (text.empty() ? "" : " ") + key(op);
  return text;
}

std::vector<Case> filtered(std::vector<Case> cases, const std::string& filter) {
  if (filter.empty() || filter == "all") return cases;
  const bool negative = filter.front() == '-';
  std::regex pattern;
  try {
    pattern = std::regex(negative ? filter.substr(1) : filter, std::regex::extended);
  } catch (const std::regex_error& error) {
    throw UsageError("--benchmark_filter: '" + filter + "': " + error.what());
  }
  std::erase_if(cases, [&](const Case& candidate) {
    const std::string name = candidate.name + std::string(kNameSuffix);
    return std::regex_search(name, pattern) == negative;
  });
  return cases;
}

std::vector<Op> distinct_ops(std::span<const Case> cases) {
  std::vector<Op> ops;
  std::unordered_set<std::string> seen;
  for (const Case& candidate : cases) {
    if (candidate.ops.size() != 1) continue;
    if (seen.insert(key(candidate.ops.front())).second) ops.push_back(candidate.ops.front());
  }
  return ops;
}

}  // namespace stepcast
