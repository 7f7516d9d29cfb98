// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a launcher started this program as one of several processes.

#include <functional>
#include <optional>
#include <string>

namespace stepcast {

/// The value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// This process's environment.
Environment process_environment();

/// Errors: UsageError if a launcher says that there is more than one process: each of them would
/// time all GPUs, one against the other.
void refuse_launcher(const Environment& environment);

}  // namespace stepcast
