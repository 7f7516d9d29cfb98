// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The protocol that a command line asks for.

#include "bench/options.hpp"
#include "bench/protocol.hpp"

namespace stepcast {

/// The full protocol or the quick one. With an option that changes how a time is taken or which
/// plan is found its name is `custom`: a profile's other rows do not stand in for such rows, nor
/// these for others.
Protocol protocol_of(const BenchOptions& options);

}  // namespace stepcast
