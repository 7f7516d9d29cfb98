// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/families.hpp"
#include "tests/reference/gelu.hpp"

namespace stepcast {
namespace {

/// A row-major matrix, or its transpose.
struct Matrix {
  const std::vector<double>& values;
  std::size_t row_step, column_step;

  double operator()(std::size_t row, std::size_t column) const {
    return values[row * row_step + column * column_step];
  }
};

/// result[rows, columns] = a[rows, depth] b[depth, columns].
void multiply(const Matrix& a, const Matrix& b, std::size_t rows, std::size_t columns,
              std::size_t depth, std::vector<double>& result) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < depth; ++i) sum += a(row, i) * b(i, column);
      result[row * columns + column] = sum;
    }
  }
}

}  // namespace

void reference_gemm(const Op& op, const GemmShape& shape, NamedTensors& tensors) {
  const auto m = static_cast<std::size_t>(shape.m);
  const auto n = static_cast<std::size_t>(shape.n);
  const auto k = static_cast<std::size_t>(shape.k);
  if (op.family == Family::gemm_fprop) {
    auto& y = tensors["y"];
    multiply({tensors["x"], k, 1}, {tensors["w"], 1, k}, m, n, k, y);
    if (op.epilogue == Epilogue::none) return;
    const auto& bias = tensors["bias"];
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += bias[i % n];
    if (op.epilogue == Epilogue::bias) return;
    auto& aux = tensors["aux"];
    for (std::size_t i = 0; i < y.size(); ++i) {
      aux[i] = y[i];
      y[i] = gelu(y[i]);
    }
  } else if (op.family == Family::gemm_dgrad) {
    auto& dx = tensors["dx"];
    // In e4m3 w is stored [k,n].
    const Matrix w = op.in == DType::e4m3 ? Matrix{tensors["w"], 1, n} : Matrix{tensors["w"], k, 1};
    multiply({tensors["dy"], n, 1}, w, m, k, n, dx);
    if (op.epilogue == Epilogue::none) return;
    const auto& aux = tensors["aux"];
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] *= gelu_derivative(aux[i]);
  } else {
    const auto& dy = tensors["dy"];
    const auto& x = tensors["x"];
    if (op.in == DType::e4m3) {  // dy[n,m], x[k,m]
      return multiply({dy, m, 1}, {x, 1, m}, n, k, m, tensors["dw"]);
    }
    multiply({dy, 1, n}, {x, k, 1}, n, k, m, tensors["dw"]);
    if (op.epilogue == Epilogue::none) return;
    auto& dbias = tensors["dbias"];
    dbias.assign(n, 0.0);
    for (std::size_t i = 0; i < dy.size(); ++i) dbias[i % n] += dy[i];
  }
}

}  // namespace stepcast
