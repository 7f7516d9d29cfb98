// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Batch norm's two directions, each of which has its own file.

#include "layers/verify/references.hpp"
#include "layers/verify/walk.cuh"

namespace stepcast {

/// `view` is that of all images of the op.
void verify_batchnorm_backward(const VerifyCase& checked, const ChannelView& view);

}  // namespace stepcast
