// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A product of row-major matrices through cuBLASLt, with the candidates of its heuristic.

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cuda/libraries.hpp"
#include "core/dtype.hpp"

namespace stepcast {

/// A row-major matrix as it lies in memory, or a batch of them at one distance.
struct RowMajor {
  void* memory = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;    // in elements
  std::int64_t batch_stride = 0;  // in elements
  std::int64_t move = 0;          // in elements, from one enqueue() of a series to the next
};

/// result = alpha op(a) op(b), where op transposes if asked.
struct MatmulProblem {
  DType in = DType::fp32;   // of a and b; e4m3 wants b, and not a, transposed
  DType out = DType::fp32;  // of the result
  RowMajor a, b, result;
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t batch = 1;
  float alpha = 1;
  const float* scale = nullptr;  // on the device; multiplies a, and b. For e4m3
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;  // one number a column of the result, or what an epilogue reduces
  DType bias_type = DType::fp32;
  void* aux = nullptr;  // like the result
  DType aux_type = DType::fp32;
};

/// fp16, bf16, e4m3 and fp32 multiply with CUBLAS_COMPUTE_32F, which never rounds fp32 to TF32;
/// tf32 with CUBLAS_COMPUTE_32F_FAST_TF32. Products of e4m3 are accumulated without the fast mode,
/// which would keep fewer bits of the sums.
class CublasLtMatmul {
 public:
  /// Asks the heuristic for candidates that need no more workspace than given, then for those that
  /// it names where it may use less: each once, at most `max_candidates`.
  /// Errors: LibraryError for what is not a matter of support.
  CublasLtMatmul(cublasLtHandle_t handle, const MatmulProblem& problem, std::size_t workspace_limit,
                 std::size_t max_candidates);

  /// Why there is no candidate: shape, types and cuBLASLt's status. Empty where there is one.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// Works where this problem lies from now on, which is otherwise the one that it was made for,
  /// and as aligned; the candidates stay.
  void move_to(const MatmulProblem& problem);

  [[nodiscard]] std::size_t candidates() const { return algorithms_.size(); }
  [[nodiscard]] std::size_t selected() const { return selected_; }
  bool select(std::size_t rank);

  /// The selected algorithm: its number, tile, stages, split of k, inner shape and cluster.
  [[nodiscard]] std::string name() const;
  /// How the selected algorithm computes: library_notes.hpp.
  [[nodiscard]] std::string notes() const;
  [[nodiscard]] std::size_t workspace_bytes() const { return algorithms_[selected_].workspaceSize; }

  /// Runs on the problem's memory, each matrix moved `step` times.
  void enqueue(cudaStream_t stream, void* workspace, std::int64_t step = 0) const;

 private:
  using Descriptor = UniqueHandle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
  using Layout = UniqueHandle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

  /// Adds what the heuristic names within this workspace and is not there yet.
  cublasStatus_t ask(std::size_t workspace_limit, std::size_t most);

  [[nodiscard]] Descriptor make_descriptor() const;
  void set_pointers(cublasLtMatmulDesc_t descriptor) const;
  [[nodiscard]] Layout make_layout(const RowMajor& matrix, DType type) const;

  cublasLtHandle_t handle_;
  MatmulProblem problem_;
  Descriptor descriptor_;
  Layout a_, b_, result_;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
  std::size_t selected_ = 0;
  std::string reason_;
};

}  // namespace stepcast
