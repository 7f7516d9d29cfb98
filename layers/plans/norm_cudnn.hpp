// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Batch norm in training, forward and backward, through the cuDNN call that PyTorch makes.

#include <span>

#include "layers/plans/plan.hpp"

namespace stepcast {

/// The plan of batchnorm_fwd or batchnorm_bwd without epilogue.
///
/// Errors:  the reason for an epilogue, and what cuDNN itself refuses.
/// Source:  aten/src/ATen/native/cudnn/BatchNorm.cpp of PyTorch says which call and mode.
PlanOrReason make_norm_cudnn(const Libraries& libraries, const Op& op,
                             std::span<void* const> buffers, const PlanOptions& options);

}  // namespace stepcast
