// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plans of the providers cuda and native: our own kernels.

#include <span>

#include "layers/plans/plan.hpp"

namespace stepcast {

/// The plan of an op whose provider is cuda or native. One candidate, no workspace limit.
///
/// Shapes:  buffers are the device memory of operands(op), in that order.
/// Errors:  the reason "provider X has no FAMILY", or what the kernels cannot do (a type, a shape).
PlanOrReason make_kernel_plan(const Libraries& libraries, const Op& op,
                              std::span<void* const> buffers);

}  // namespace stepcast
