// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The softmax between the two matrix products of unfused attention, and its gradient.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace stepcast {

/// Turns each row of scores into probabilities in place, and writes the logarithm of the sum of
/// its exponentials. Arithmetic in fp32. Reads and writes each score once for rows of up to 1024.
///
/// Shapes:  scores[rows, columns] without gaps, log_sum[rows].
/// Errors:  LibraryError.
template <typename T>
void softmax_forward(T* scores, float* log_sum, std::int64_t rows, std::int64_t columns,
                     cudaStream_t stream);

/// Turns each row of the probabilities' gradient into that of the scores in place:
/// ds = p (dp - sum of p dp over the row). Arithmetic in fp32.
///
/// Shapes:  gradient[rows, columns], probabilities[rows, columns].
/// Errors:  LibraryError.
template <typename T>
void softmax_backward(T* gradient, const T* probabilities, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream);

}  // namespace stepcast
