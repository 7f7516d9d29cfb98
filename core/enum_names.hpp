// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One table an enumeration: the text that stands for each value in keys, CSV and options.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace stepcast {

template <typename Enum, std::size_t N>
using EnumNames = std::array<std::pair<Enum, std::string_view>, N>;

template <typename Enum, std::size_t N>
constexpr std::string_view enum_name(const EnumNames<Enum, N>& names, Enum value) {
  for (const auto& [candidate, text] : names) {
    if (candidate == value) return text;
  }
  return "?";
}

template <typename Enum, std::size_t N>
constexpr std::optional<Enum> enum_value(const EnumNames<Enum, N>& names, std::string_view text) {
  for (const auto& [value, candidate] : names) {
    if (candidate == text) return value;
  }
  return std::nullopt;
}

/// The value that `text` stands for. Errors: DataError that begins with `what` and lists the
/// choices.
template <typename Enum, std::size_t N>
Enum parse_enum(const EnumNames<Enum, N>& names, std::string_view text, std::string_view what) {
  if (const auto value = enum_value(names, text)) return *value;
  std::string message = std::string(what) + ": '" + std::string(text) + "' is none of";
  for (const auto& entry : names) message += " " + std::string(entry.second);
  throw DataError(message);
}

}  // namespace stepcast
