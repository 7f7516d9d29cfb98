// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/log_line.hpp"

#include <regex>

#include "core/text.hpp"

namespace stepcast {
namespace {

/// ESC [ parameters letter.
std::string without_escapes(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      plain += line[i];
      continue;
    }
    if (i + 1 < line.size() && line[i + 1] == '[') {
      ++i;
      while (i + 1 < line.size() && (line[i + 1] < '@' || line[i + 1] > '~')) ++i;
      ++i;
    }
  }
  return plain;
}

/// The length of what a launcher put before a line; 0 where it put nothing.
std::size_t prefix_length(std::string_view line) {
  static const std::regex prefixes(
      R"(\[\d+,\d+\]<std(out|err)>: ?|\[\d+\] |\d+:( |$)|\[pod/[^\]\s]+\] )"
      R"(|\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d) )");
  if (line.empty() || (line.front() != '[' && (line.front() < '0' || line.front() > '9'))) return 0;
  constexpr std::size_t kLongest = 200;
  const std::string_view start = line.substr(0, kLongest);
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(start.begin(), start.end(), match, prefixes,
                         std::regex_constants::match_continuous)) {
    return 0;
  }
  return static_cast<std::size_t>(match.length());
}

}  // namespace

std::string plain_line(std::string_view line) {
  const std::string plain = without_escapes(line);
  std::string_view rest = trimmed(plain);
  while (const std::size_t length = prefix_length(rest)) rest = trimmed(rest.substr(length));
  return std::string(rest);
}

}  // namespace stepcast
