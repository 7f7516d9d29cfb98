// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bucket sizes that DDP sends for models. Of stepcast-comm alone: the library beside it knows
// bytes, never models.

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace stepcast {

/// Payloads of the fp32 buckets in bytes, ascending, each once: in the order in which gradients
/// become ready, and in reverse registration order, which some DDP settings keep.
/// Errors: UsageError for an unknown model.
std::vector<std::int64_t> bucket_sizes(const std::vector<std::string>& models, Bytes cap);

}  // namespace stepcast
