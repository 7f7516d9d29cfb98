// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ModelBuilder: writes a model down layer by layer, in forward order, and works out every shape.

#include <cstdint>
#include <string>
#include <vector>

#include "layers/model.hpp"

namespace stepcast {

/// Each function adds a layer behind the last one, or behind `source` where that is given.
/// `prefix` stands before `weight` and `bias` in the names of parameters.
class ModelBuilder {
 public:
  /// Errors: DataError if there is not at least one class.
  ModelBuilder(std::string name, std::int64_t image_size, std::int64_t classes);

  struct Window {
    std::int64_t size = 1, stride = 1, padding = 0;
  };
  void conv(const std::string& name, std::int64_t channels, Window window, bool bias = false,
            const std::string& source = "");
  void batchnorm(const std::string& name);
  void relu(const std::string& name);
  void residual_add(const std::string& name, const std::string& source);
  void maxpool(const std::string& name, Window window);
  void global_avgpool(const std::string& name);
  void linear(const std::string& name, const std::string& prefix, std::int64_t width);
  void layernorm(const std::string& name, const std::string& prefix);
  void gelu(const std::string& name);
  void attention(const std::string& name, std::int64_t heads);
  void tokens(const std::string& name, const std::string& class_token,
              const std::string& pos_embedding);
  void select_token(const std::string& name);
  void loss(const std::string& name);

  /// The layer added last.
  [[nodiscard]] const std::string& last() const { return model_.layers.back().name; }

  /// The model, its parameters in the order of its layers.
  [[nodiscard]] Model finish() &&;

 private:
  Layer& add(LayerKind kind, const std::string& name, const std::string& source = "");

  Model model_;
};

}  // namespace stepcast
