// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cases.hpp"

#include <algorithm>
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

/// The products of the model's linear layers in e4m3, without the epilogues that they have in bf16.
std::vector<PlacedOp> e4m3_products(const Model& model, RecipeOptions recipe) {
  recipe.precision = DType::bf16;
  std::vector<PlacedOp> ops = step_ops(model, recipe);
  std::erase_if(ops, [](const PlacedOp& op) { return op_class(op.op.family) != OpClass::gemm; });
  for (PlacedOp& placed : ops) {
    placed.op.in = DType::e4m3;
    placed.op.epilogue = Epilogue::none;
  }
  return ops;
}

class Lister {
 public:
  explicit Lister(const BenchOptions& options) : options_(options) {}

  Cases list() {
    for (const std::string& model_name : options_.models) {
      const Model model = make_model(model_name, options_.image_size);
      for (const RecipeKind kind : options_.recipes) {
        for (const DType precision : options_.precisions) {
          for (const Layout layout : options_.layouts) {
            for (const std::int64_t batch : options_.batches) {
              add(model, {kind, precision, layout, batch, options_.ddp});
            }
          }
        }
      }
    }
    return std::move(result_);
  }

 private:
  void add(const Model& model, const RecipeOptions& recipe) {
    const bool fp8 = recipe.precision == DType::e4m3;
    if (fp8) note(model.name + ", e4m3: the products of the fused recipe's linear layers alone");
    if (fp8 && recipe.kind != RecipeKind::fused) return;
    std::vector<PlacedOp> ops;
    try {
      ops = fp8 ? e4m3_products(model, recipe) : step_ops(model, recipe);
    } catch (const DataError& error) {
      note(model.name + ", " + std::string(enum_name(kRecipeNames, recipe.kind)) + ", " +
           std::string(name(recipe.precision)) + ", " + std::string(name(recipe.layout)) +
           ": left out: " + error.what());
      return;
    }
    for (const PlacedOp& placed : ops) {
      result_.cases.push_back({place_case_name(model, placed, recipe), {placed.op}});
    }
    if (!options_.blocks || fp8) return;
    for (Case& block : block_cases(model, recipe)) result_.cases.push_back(std::move(block));
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
