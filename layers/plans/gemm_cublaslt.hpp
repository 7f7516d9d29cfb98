// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Linear layers and their two gradients through cuBLASLt, with its epilogues.

#include <span>

#include "layers/plans/plan.hpp"

namespace stepcast {

/// The plan of gemm_fprop, gemm_dgrad or gemm_wgrad with the epilogues none, bias, bias_gelu, dgelu
/// and bgrad. GELU here is cuBLASLt's, the tanh approximation (the cuda and native providers use
/// erf, as PyTorch does by default); the key's epilogue bias_gelu or dgelu under the provider
/// cublaslt says so. In e4m3 no epilogue, and sizes that are multiples of 16.
///
/// Errors:  the reason names the shape, the types and the status of cuBLASLt's heuristic.
PlanOrReason make_gemm_cublaslt(const Libraries& libraries, const Op& op,
                                std::span<void* const> buffers, const PlanOptions& options);

}  // namespace stepcast
