// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/check.hpp"

#include <array>
#include <string>

namespace stepcast {
namespace {

[[noreturn]] void fail(SourceLocation where, std::string_view doing, const std::string& said) {
  throw LibraryError(where, std::string(doing), said);
}

/// cuDNN's own account of this thread's last failure, which says more than the status; may be "".
std::string last_cudnn_error() {
  std::array<char, 1024> text{};
  cudnnGetLastErrorString(text.data(), text.size());
  return text.data();
}

}  // namespace

void check(cudaError_t status, std::string_view doing, SourceLocation where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // reported here, so that the next check does not report it again
  fail(where, doing,
       std::string("CUDA, ") + cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

void check(cudnnStatus_t status, std::string_view doing, SourceLocation where) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  fail(where, doing,
       std::string("cuDNN, ") + cudnnGetErrorString(status) + ": " + last_cudnn_error());
}

void check(cublasStatus_t status, std::string_view doing, SourceLocation where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail(where, doing,
       std::string("cuBLASLt, ") + cublasLtGetStatusName(status) + ": " +
           cublasLtGetStatusString(status));
}

cudaError_t settle_device() {
  static_cast<void>(cudaGetLastError());
  return cudaDeviceSynchronize();
}

void check_launch(std::string_view kernel, SourceLocation where) {
  check(cudaGetLastError(), "launching " + std::string(kernel), where);
}

}  // namespace stepcast
