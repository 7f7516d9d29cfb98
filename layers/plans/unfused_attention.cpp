// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/unfused_attention.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "layers/plans/softmax.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;  // as for linear layers

/// Calls use(T{}) with the type in which the scores are stored.
template <typename Use>
void with_stored(DType type, Use use) {
  if (type == DType::fp16) {
    use(__half{});
  } else if (type == DType::bf16) {
    use(__nv_bfloat16{});
  } else {
    use(float{});
  }
}

}  // namespace

UnfusedAttention::UnfusedAttention(const Libraries& libraries, const Op& op,
                                   const PlanOptions& options)
    : walk_(op),
      type_(op.in),
      scale_(1.0F / std::sqrt(static_cast<float>(walk_.shape.d))),
      handle_(libraries.cublaslt.get()),
      limit_(std::min(options.workspace_limit_bytes, kMostWorkspace)),
      scores_bytes_(static_cast<std::size_t>(rows() * walk_.shape.s * element_bytes(op.in))) {}

std::string UnfusedAttention::name() const {
  std::string joined;
  for (const CublasLtMatmul& product : products_) {
    if (!joined.empty()) joined += "+";
    joined += product.name();
  }
  return joined;
}

std::string UnfusedAttention::notes() const {
  std::vector<std::string> distinct;
  for (const CublasLtMatmul& product : products_) {
    std::string notes = product.notes();
    if (std::find(distinct.begin(), distinct.end(), notes) != distinct.end()) continue;
    distinct.push_back(std::move(notes));
  }
  std::string joined;
  for (const std::string& notes : distinct) joined += (joined.empty() ? "" : "; ") + notes;
  return joined;
}

MatmulProblem UnfusedAttention::problem(RowMajor a, bool transpose_a, RowMajor b, bool transpose_b,
                                        RowMajor result, float alpha) const {
  MatmulProblem problem;
  problem.in = type_;
  problem.out = type_;
  problem.a = a;
  problem.b = b;
  problem.result = result;
  problem.transpose_a = transpose_a;
  problem.transpose_b = transpose_b;
  problem.batch = walk_.batch();
  problem.alpha = alpha;
  return problem;
}

void UnfusedAttention::bind_products(std::span<const MatmulProblem> problems) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i < products_.size()) {
      products_[i].move_to(problems[i]);
    } else {
      add_product(problems[i]);
    }
  }
}

void UnfusedAttention::run(std::size_t product, cudaStream_t stream) {
  for (std::int64_t call = 0; call < walk_.calls(); ++call) {
    products_[product].enqueue(stream, workspace_.data(), call);
  }
}

void UnfusedAttention::softmax(void* scores, void* log_sum, cudaStream_t stream) const {
  with_stored(type_, [&](auto zero) {
    softmax_forward(static_cast<decltype(zero)*>(scores), static_cast<float*>(log_sum), rows(),
                    walk_.shape.s, stream);
  });
}

void UnfusedAttention::softmax_gradient(void* gradient, const void* probabilities,
                                        cudaStream_t stream) const {
  with_stored(type_, [&](auto zero) {
    using T = decltype(zero);
    softmax_backward(static_cast<T*>(gradient), static_cast<const T*>(probabilities), rows(),
                     walk_.shape.s, stream);
  });
}

void UnfusedAttention::add_product(const MatmulProblem& problem) {
  CublasLtMatmul made(handle_, problem, limit_, 1);
  if (!made.reason().empty()) {
    reason_ = made.reason();
  } else {
    workspace_.reserve(std::max(workspace_.bytes(), made.workspace_bytes()));
  }
  products_.push_back(std::move(made));
}

}  // namespace stepcast
