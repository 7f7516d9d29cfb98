// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// StepContext: what every recipe starts from (model, options, types, how layers are joined), and
// the list of placed ops that it writes.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/dtype.hpp"
#include "layers/model.hpp"
#include "layers/op.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

inline constexpr std::size_t kNoLayer = static_cast<std::size_t>(-1);

class StepContext {
 public:
  /// The options have been checked by step_ops(). Both arguments outlive the context.
  StepContext(const Model& model, const RecipeOptions& options);

  // What is asked for.
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const RecipeOptions& options() const { return options_; }
  [[nodiscard]] const Layer& layer(std::size_t i) const { return model_.layers[i]; }
  [[nodiscard]] std::int64_t batch() const { return options_.batch; }
  /// The type of matrix products: fp16, bf16, tf32 or fp32.
  [[nodiscard]] DType product() const { return options_.precision; }
  /// The type in which their operands are stored: fp16, bf16 or fp32.
  [[nodiscard]] DType half() const { return storage(options_.precision); }
  /// Products run in fp16 or bf16, below the fp32 of parameters.
  [[nodiscard]] bool is_half() const { return half() != DType::fp32; }

  // How the layers are joined.
  /// The layer whose output layer i reads (a residual addition: its second operand); kNoLayer for
  /// the image.
  [[nodiscard]] std::size_t producer(std::size_t i) const;
  /// The residual addition's other operand.
  [[nodiscard]] std::size_t residual(std::size_t i) const;
  /// True if the layers before and behind i are of this kind.
  [[nodiscard]] bool follows(std::size_t i, LayerKind kind) const;
  [[nodiscard]] bool precedes(std::size_t i, LayerKind kind) const;
  /// True if a later layer reads the tensor that layer i reads. Backward meets i last, so that
  /// there the gradients of both are added.
  [[nodiscard]] bool shares_input(std::size_t i) const;
  /// Index into Model::parameters.
  [[nodiscard]] std::int64_t index(const Parameter& parameter) const;

  // Writing.
  void enter(Phase phase) { phase_ = phase; }
  void at(std::string_view layer) { layer_ = layer; }
  /// Appends an op of the current layer and phase.
  void put(std::string role, const Op& op, std::int64_t count = 1);
  /// Marks a parameter's gradient as final with the op written last.
  void mark_ready(const Parameter& parameter);
  [[nodiscard]] std::vector<PlacedOp> take() { return std::move(ops_); }

 private:
  const Model& model_;
  const RecipeOptions& options_;
  std::unordered_map<std::string_view, std::size_t> layers_;
  std::unordered_map<std::string_view, std::int64_t> parameters_;
  std::vector<std::size_t> last_reader_;  // of each layer's output
  Phase phase_ = Phase::forward;
  std::string layer_;
  std::vector<PlacedOp> ops_;
};

/// `weight`, `bias`, `class_token` or `pos_embedding`: the part of a role that names a parameter.
std::string_view role_suffix(const Parameter& parameter);

}  // namespace stepcast
