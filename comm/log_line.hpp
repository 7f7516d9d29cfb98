// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A line of a program's output without what came upon it on its way into a log.

#include <string>
#include <string_view>

namespace stepcast {

/// Without escape sequences (colours), without what launchers put before it, and trimmed:
///   0: text              srun --label
///   [0] text             mpiexec -prepend-rank
///   [1,0]<stdout>:text   mpirun --tag-output
///   [pod/a/b] text       kubectl logs --prefix
///   2026-11-30T10:00:00.123Z text   --timestamps
std::string plain_line(std::string_view line);

}  // namespace stepcast
