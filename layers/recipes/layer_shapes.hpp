// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of the ops that a layer needs, for a batch of n images.

#include <cstdint>

#include "layers/model.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// Elements of the layer's input and output for n images.
std::int64_t input_elements(const Layer& layer, std::int64_t n);
std::int64_t output_elements(const Layer& layer, std::int64_t n);

ConvShape conv_shape(const Layer& layer, std::int64_t n);
ImageShape image_shape(const Layer& layer, std::int64_t n);
PoolShape pool_shape(const Layer& layer, std::int64_t n);

/// m is every row that the layer multiplies: n images times their tokens.
GemmShape gemm_shape(const Layer& layer, std::int64_t n);

/// The input as rows of its last dimension (layer norm, loss), and the output so (bias).
MatrixShape input_rows(const Layer& layer, std::int64_t n);
MatrixShape output_rows(const Layer& layer, std::int64_t n);

AttentionShape attention_shape(const Layer& layer, std::int64_t n);

}  // namespace stepcast
