// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Convolutions, forward and both gradients, through cuDNN's graph API.

#include <span>

#include "layers/plans/plan.hpp"

namespace stepcast {

/// The plan of conv_fprop, conv_dgrad or conv_wgrad. fp16 and bf16 accumulate in fp32; tf32 may use
/// TF32 tensor cores, fp32 never does.
///
/// Errors:  the reason names shapes, strides and types, cuDNN's last error and the number of
///          candidates that it offered.
PlanOrReason make_conv_cudnn(const Libraries& libraries, const Op& op,
                             std::span<void* const> buffers, const PlanOptions& options);

}  // namespace stepcast
