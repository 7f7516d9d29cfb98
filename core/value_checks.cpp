// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/value_checks.hpp"

#include <string>

#include "core/text.hpp"

namespace stepcast {

CLI::Validator positive_whole(std::int64_t most) {
  return CLI::Validator(
      [most](std::string& text) -> std::string {
        const auto value = parse_integer(text);
        if (!value || *value <= 0) return "'" + text + "' is not a whole number above 0";
        // CLI11 would read an octal number.
        if (text.front() == '0') return "'" + text + "' begins with 0";
        if (*value > most) return "'" + text + "' is above " + std::to_string(most);
        return "";
      },
      "");
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        const auto value = parse_integer(text);
        // CLI11 would read an octal number.
        const bool octal = text.size() > 1 && text.front() == '0';
        return value && *value >= 0 && !octal ? "" : "'" + text + "' is not a whole number";
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return text.empty() ? "is empty" : ""; }, "");
}

CLI::Validator positive_number() {
  return CLI::Validator(
      [](std::string& text) {
        const auto value = parse_number(text);
        return value && *value > 0 ? "" : "'" + text + "' is not a number above 0";
      },
      "");
}

}  // namespace stepcast
