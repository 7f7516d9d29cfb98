// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks what an op has written at its real shape, on the GPU, against a reference computed there
// in double by kernels that share nothing with the plans.

#include <cuda_runtime_api.h>

#include <span>

#include "layers/op.hpp"
#include "layers/verify/verdict.hpp"

namespace stepcast {

/// Compares every element of every operand that the op writes, in every batch entry.
///
/// `buffers`: device memory of operands(op), in that order, after the op ran once.
/// `initial`: likewise, with what the operands of Role::in_out held before; null for the others.
/// The inputs hold the seeded data of bench's workload: uniform in [-1, 1], or [0.5, 1.5]. Data
/// that is constant (zeros, say) is a fault, since such data is timed too fast and hides errors.
/// Waits for the stream. Tolerances: layers/verify/tolerance.hpp.
/// Errors: LibraryError.
Verdict verify(const Op& op, std::span<void* const> buffers, std::span<void* const> initial,
               cudaStream_t stream);

}  // namespace stepcast
