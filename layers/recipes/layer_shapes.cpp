// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipes/layer_shapes.hpp"

#include <functional>
#include <numeric>
#include <vector>

namespace stepcast {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

MatrixShape rows(const std::vector<std::int64_t>& sizes, std::int64_t n) {
  return {n * product(sizes) / sizes.back(), sizes.back()};
}

}  // namespace

std::int64_t input_elements(const Layer& layer, std::int64_t n) { return n * product(layer.input); }

std::int64_t output_elements(const Layer& layer, std::int64_t n) {
  return n * product(layer.output);
}

ConvShape conv_shape(const Layer& layer, std::int64_t n) {
  ConvShape shape;
  shape.n = n;
  shape.c = layer.input[0];
  shape.h = layer.input[1];
  shape.w = layer.input[2];
  shape.k = layer.output[0];
  shape.r = shape.s = layer.window;
  shape.u = layer.stride;
  shape.p = layer.padding;
  return shape;
}

ImageShape image_shape(const Layer& layer, std::int64_t n) {
  return {n, layer.input[0], layer.input[1], layer.input[2]};
}

PoolShape pool_shape(const Layer& layer, std::int64_t n) {
  return {
      n, layer.input[0], layer.input[1], layer.input[2], layer.window, layer.stride, layer.padding};
}

GemmShape gemm_shape(const Layer& layer, std::int64_t n) {
  return {input_rows(layer, n).m, layer.output.back(), layer.input.back()};
}

MatrixShape input_rows(const Layer& layer, std::int64_t n) { return rows(layer.input, n); }

MatrixShape output_rows(const Layer& layer, std::int64_t n) { return rows(layer.output, n); }

AttentionShape attention_shape(const Layer& layer, std::int64_t n) {
  return {n, layer.heads, layer.output[0], layer.output[1] / layer.heads};
}

}  // namespace stepcast
