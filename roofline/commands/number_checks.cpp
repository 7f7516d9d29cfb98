// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/commands/number_checks.hpp"

#include <string>

#include "core/text.hpp"

namespace stepcast {

CLI::Validator positive_whole() {
  return CLI::Validator(
      [](std::string& text) {
        const auto value = parse_integer(text);
        return value && *value > 0 ? "" : "'" + text + "' is not a whole number above 0";
      },
      "");
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
