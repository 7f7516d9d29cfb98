// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an op multiplies and accumulates in, in words.

#include <string>

#include "layers/op.hpp"

namespace stepcast {

/// Matrix products: "fp16 x fp16 + fp32", likewise in bf16, tf32 and e4m3; "fp32" where everything
/// is. Other ops compute in fp32 whatever they store: "fp32". A counter: "int64". What only moves
/// data: "".
std::string math(const Op& op);

}  // namespace stepcast
