// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mean and variance of an operand's data, on the device.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/dtype.hpp"

namespace stepcast {

/// Sums over the elements that are finite, and how many are not.
struct Moments {
  double sum = 0;
  double squares = 0;
  unsigned long long infinite = 0;
};

/// `memory` holds `count` fractions. Waits for the stream. Errors: LibraryError.
Moments moments(const void* memory, DType type, std::int64_t count, cudaStream_t stream);

}  // namespace stepcast
