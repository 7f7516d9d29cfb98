// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fused attention, forward and backward, through cuDNN's graph API.

#include <span>

#include "layers/plans/plan.hpp"

namespace stepcast {

/// The plan of attention_fwd or attention_bwd: scale 1 / sqrt(d), no mask, no dropout, with the
/// statistics that training needs. prepare() of a backward plan runs the forward pass, which fills
/// o and stats.
///
/// Errors:  the reason for fp32 and tf32, a head dimension above 128 or not a multiple of 8, and
///          what cuDNN itself refuses (as in conv_cudnn.hpp).
PlanOrReason make_attention_cudnn(const Libraries& libraries, const Op& op,
                                  std::span<void* const> buffers, const PlanOptions& options);

}  // namespace stepcast
