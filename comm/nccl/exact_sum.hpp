// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operands whose sum over ranks is exact in any order, and the count of elements that differ from
// it. Each term is 0, 1, 2 or 3, drawn from rank and index, so that a rank that is left out, added
// twice or shifted shows.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/dtype.hpp"

namespace stepcast {

/// bf16 holds whole numbers up to 256 exactly: 85 terms of 3.
inline constexpr int kMostExactRanks = 85;

/// Writes rank's terms. Errors: LibraryError; DataError for a type that is not fp32, fp16 or bf16.
void fill_terms(DType dtype, void* data, std::int64_t count, int rank, cudaStream_t stream);

/// Adds to *wrong (device memory) the elements of `data` that are not the sum of the terms of ranks
/// 0 to ranks-1. NaN is wrong.
void count_wrong(DType dtype, const void* data, std::int64_t count, int ranks,
                 unsigned long long* wrong, cudaStream_t stream);

}  // namespace stepcast
