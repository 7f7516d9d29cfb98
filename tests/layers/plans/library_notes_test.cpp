// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/library_notes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stepcast {
namespace {

TEST(LibraryNotes, OfCudnnStandInItsOwnOrder) {
  const std::vector<cudnnBackendNumericalNote_t> numerical{CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4,
                                                           CUDNN_NUMERICAL_NOTE_WINOGRAD,
                                                           CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
  const std::vector<cudnnBackendBehaviorNote_t> behavior{
      CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION};
  EXPECT_EQ(cudnn_notes(numerical, behavior),
            "tensor_core winograd winograd_tile_4x4 runtime_compilation");
  EXPECT_EQ(cudnn_notes({}, {}), "");
}

TEST(LibraryNotes, OfCublasLtNameUnitTypesAndReduction) {
  EXPECT_EQ(
      cublaslt_notes(CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF |
                         CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F,
                     3, CUBLASLT_REDUCTION_SCHEME_INPLACE),
      "hmma input_bf16 accumulator_fp32 splitk=3 reduction=inplace");
  EXPECT_EQ(cublaslt_notes(CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA, 1, CUBLASLT_REDUCTION_SCHEME_NONE),
            "fma splitk=1 reduction=none");
  EXPECT_EQ(cublaslt_notes(0, 8, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE),
            "splitk=8 reduction=compute_type");
  EXPECT_EQ(cublaslt_notes(0, 8, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE),
            "splitk=8 reduction=output_type");
}

}  // namespace
}  // namespace stepcast
