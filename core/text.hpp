// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small helpers on text: lists in options, fields of logs, strict numbers.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stepcast {

/// The parts between separators, empty ones too; "" has one empty part. The parts point into
/// `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The words between blanks and tabs; no empty ones. They point into `text`.
std::vector<std::string_view> words(std::string_view text);

/// Without blanks, tabs and line ends at either end.
std::string_view trimmed(std::string_view text);

/// The whole text as a number, in any locale; nothing where there is anything else in it, where it
/// is out of range, or (for doubles) not finite.
std::optional<double> parse_number(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace stepcast
