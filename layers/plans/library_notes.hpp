// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What cuDNN and cuBLASLt say of how an engine or algorithm computes, in words for Plan::notes():
// lower case, separated by blanks.

#include <cublasLt.h>
#include <cudnn.h>

#include <cstdint>
#include <span>
#include <string>

namespace stepcast {

/// `tensor_core winograd winograd_tile_4x4 runtime_compilation`: the notes that tell what results
/// or times depend on, in the order of cuDNN's own lists.
std::string cudnn_notes(std::span<const cudnnBackendNumericalNote_t> numerical,
                        std::span<const cudnnBackendBehaviorNote_t> behavior);

/// `hmma input_bf16 accumulator_fp32 splitk=3 reduction=inplace`. `flags` is the algorithm's
/// CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, `reduction` a cublasLtReductionScheme_t.
std::string cublaslt_notes(cublasLtNumericalImplFlags_t flags, std::int32_t splitk,
                           std::uint32_t reduction);

}  // namespace stepcast
