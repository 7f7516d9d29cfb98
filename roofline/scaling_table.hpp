// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of predicted scaling as a table, with real steps beside them where there are any.

#include <vector>

#include "roofline/real_steps.hpp"
#include "roofline/scaling.hpp"
#include "roofline/table.hpp"

namespace stepcast {

/// Two tables made for one output have the same columns: `with_real` says whether the text form
/// shows the columns of real steps.
Table scaling_table(const std::vector<ScalingRow>& rows, const Case& predicted,
                    const RealSteps& real, bool with_real);

/// Is there a real step for one of the rows?
bool any_real(const std::vector<ScalingRow>& rows, const Case& predicted, const RealSteps& real);

}  // namespace stepcast
