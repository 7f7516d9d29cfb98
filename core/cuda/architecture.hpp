// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether this build holds code that the GPU can run.

#include <cuda_runtime_api.h>

namespace stepcast {

/// Errors: LibraryError that names the GPU, what was built, and the option that builds for it.
void require_built_for(const cudaDeviceProp& device);

}  // namespace stepcast
