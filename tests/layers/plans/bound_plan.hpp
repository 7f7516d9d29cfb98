// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Binds the plan of an op to other buffers than those that it was made on.

#include <string_view>

namespace stepcast {

/// The plan of this key, made on one set of buffers and bound to another with other data, writes
/// there what a plan of its own would, and nothing elsewhere. It then works on either set without
/// being prepared again, also while a stream is being captured.
void check_bound(std::string_view key);

}  // namespace stepcast
