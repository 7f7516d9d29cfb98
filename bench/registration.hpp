// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cases as Google Benchmarks.

#include <functional>
#include <vector>

#include "bench/cases.hpp"
#include "bench/session.hpp"

namespace stepcast {

/// Registers a benchmark for each case: manual time, one iteration, which is one whole measurement.
/// `session` is called when a benchmark runs, never while names are listed. The cases outlive the
/// benchmarks.
void register_cases(const std::vector<Case>& cases, std::function<Session&()> session);

/// Lines about this run for the head of Google Benchmark's output.
void add_context(const Session& session);

}  // namespace stepcast
