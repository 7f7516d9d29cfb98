// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that do nothing for a known time; one has the name of a layout conversion.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace stepcast::testing {

/// Launches spinTest(). Errors: LibraryError.
void spin(std::int64_t nanoseconds, cudaStream_t stream);

/// Launches nchwToNhwcTest<float>(). Errors: LibraryError.
void spin_as_conversion(std::int64_t nanoseconds, cudaStream_t stream);

}  // namespace stepcast::testing
