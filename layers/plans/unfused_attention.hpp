// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What both directions of unfused attention share: how the matrices of heads are walked over, the
// products, and the softmax between them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "layers/plans/cublaslt_matmul.hpp"
#include "layers/plans/plan.hpp"
#include "layers/plans/workspace.hpp"

namespace stepcast {

/// How the b h matrices of one product are walked over. In sbhd they lie at one distance, so that
/// one call does them all; in bshd they do not, and there is one call a head, over the batch.
struct HeadWalk {
  AttentionShape shape;
  bool one_call = false;

  explicit HeadWalk(const Op& op)
      : shape(std::get<AttentionShape>(op.shape)), one_call(op.layout == Layout::sbhd) {}

  [[nodiscard]] std::int64_t calls() const { return one_call ? 1 : shape.h; }
  [[nodiscard]] std::int64_t batch() const { return one_call ? shape.b * shape.h : shape.b; }

  /// q, k, v, o of one head and sequence: s rows of d.
  [[nodiscard]] RowMajor tokens(void* memory) const {
    const auto& a = shape;
    if (one_call) return {memory, a.s, a.d, a.b * a.h * a.d, a.d, 0};
    return {memory, a.s, a.d, a.h * a.d, a.s * a.h * a.d, a.d};
  }

  /// Scores or probabilities [b,h,s,s] of one head and sequence.
  [[nodiscard]] RowMajor scores(void* memory) const {
    const auto& a = shape;
    const std::int64_t matrix = a.s * a.s;
    if (one_call) return {memory, a.s, a.s, a.s, matrix, 0};
    return {memory, a.s, a.s, a.s, a.h * matrix, matrix};
  }
};

/// The products and buffers of one direction; subclasses say in which order they run.
class UnfusedAttention : public Plan {
 public:
  UnfusedAttention(const Libraries& libraries, const Op& op, const PlanOptions& options);

  /// Empty, or why one of the products has no algorithm.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// Those of the products, one after the other.
  [[nodiscard]] std::string name() const override;

  /// Those of the products, each once.
  [[nodiscard]] std::string notes() const override;

  /// Room for the products, and for scores and their gradient.
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return workspace_.bytes() + score_buffers() * scores_bytes_;
  }

 protected:
  [[nodiscard]] virtual std::size_t score_buffers() const = 0;

  [[nodiscard]] std::int64_t rows() const { return walk_.shape.b * walk_.shape.h * walk_.shape.s; }

  /// alpha op(a) op(b)
  [[nodiscard]] MatmulProblem problem(RowMajor a, bool transpose_a, RowMajor b, bool transpose_b,
                                      RowMajor result, float alpha) const;

  /// Makes the products of these problems, with the first of the heuristic's algorithms, or moves
  /// them where they are made already. Errors: LibraryError.
  void bind_products(std::span<const MatmulProblem> problems);

  /// Puts a product of all heads on the stream. Errors: LibraryError.
  void run(std::size_t product, cudaStream_t stream);

  /// Scores [b,h,s,s] to probabilities, in place, and the logarithm of the sum of exponentials.
  void softmax(void* scores, void* log_sum, cudaStream_t stream) const;

  /// The gradient of the probabilities [b,h,s,s] to that of the scores, in place.
  void softmax_gradient(void* gradient, const void* probabilities, cudaStream_t stream) const;

  HeadWalk walk_;
  DType type_;
  float scale_;
  cublasLtHandle_t handle_;
  std::size_t limit_;
  std::size_t scores_bytes_;
  Workspace workspace_;
  std::vector<CublasLtMatmul> products_;
  std::string reason_;

 private:
  void add_product(const MatmulProblem& problem);
};

}  // namespace stepcast
