// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// measure: search, verify, time: everything that happens to one op.

#include "bench/measurement.hpp"
#include "bench/protocol.hpp"
#include "bench/sampler.hpp"
#include "bench/subject.hpp"

namespace stepcast {

/// Searches the subject's plans, takes the fastest whose results are right, and times it cold and
/// hot, and the heuristic's first cold where that is another. `known`: an earlier measurement,
/// whose plan is timed again without a search or a look at its results; null for none. What goes
/// wrong is the status.
Measurement measure(Subject& subject, Sampler& sampler, const Protocol& protocol,
                    const Measurement* known);

}  // namespace stepcast
