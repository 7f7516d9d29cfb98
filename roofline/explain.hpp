// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a predicted step is made of: its op classes, and its buckets in time.

#include "roofline/step.hpp"
#include "roofline/table.hpp"

namespace stepcast {

/// Op classes by phase: executions, kernels, time, share of the step.
Table class_table(const TimedOps& timed, const Step& step);

/// The buckets in the order in which they are reduced; times from the step's begin.
Table bucket_table(const Step& step);

}  // namespace stepcast
