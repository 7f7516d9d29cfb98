// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random data on the device, from a counter: the same seed gives the same data on any GPU.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/dtype.hpp"

namespace stepcast {

/// Values uniform in [low, high], rounded to the true type. `memory` holds `count` elements.
/// Errors: DataError for a type of whole numbers; LibraryError.
void fill_uniform(void* memory, DType type, std::int64_t count, float low, float high,
                  std::uint64_t seed, cudaStream_t stream);

/// Whole numbers, uniform in [0, limit). Errors: DataError if limit is not positive; LibraryError.
void fill_labels(void* memory, DType type, std::int64_t count, std::int64_t limit,
                 std::uint64_t seed, cudaStream_t stream);

/// Errors: LibraryError.
void fill_zero(void* memory, DType type, std::int64_t count, cudaStream_t stream);

}  // namespace stepcast
