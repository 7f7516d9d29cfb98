// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks of options' values, with texts that say what was expected.

#include <CLI/CLI.hpp>
#include <cstdint>

namespace stepcast {

/// What ranks and images end at, and an image's height. A step's largest tensor, the attention
/// scores of vit_l_16, then has 1.1e18 elements, and every size of an op fits in 64 bits.
inline constexpr std::int64_t kMostOfAny = 1'000'000;
inline constexpr std::int64_t kMostPixels = 8192;

/// A whole number above 0, and not above `most`.
CLI::Validator positive_whole(std::int64_t most = kMostOfAny);

/// A whole number, 0 or more.
CLI::Validator whole_number();

/// A text that is not empty, as an unset shell variable's is.
CLI::Validator not_empty();

/// A number above 0.
CLI::Validator positive_number();

}  // namespace stepcast
