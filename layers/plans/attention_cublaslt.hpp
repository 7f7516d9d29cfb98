// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unfused attention: batched products through cuBLASLt, and a softmax kernel of our own.

#include <span>

#include "layers/plans/plan.hpp"

namespace stepcast {

/// The plan of attention_fwd or attention_bwd in any precision, the scores in device memory in the
/// type of the operands. prepare() of a backward plan runs the forward pass, which fills o and
/// stats.
///
/// Errors:  the reason names the shape, the types and the status of cuBLASLt's heuristic.
PlanOrReason make_attention_cublaslt(const Libraries& libraries, const Op& op,
                                     std::span<void* const> buffers, const PlanOptions& options);

}  // namespace stepcast
