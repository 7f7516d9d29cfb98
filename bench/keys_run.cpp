// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/keys_run.hpp"

#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/text.hpp"

namespace stepcast {

int answer_keys(std::istream& keys, const std::string& name, const nlohmann::json& run,
                const MeasureOp& measure, std::ostream& out) {
  const std::string id = run.at("id").get<std::string>();
  out << "# run " << run.dump() << "\n" << csv_header(ops_schema()) << std::endl;
  std::map<std::string, std::size_t> times;
  std::string line;
  int wrong = 0;
  for (int number = 1; std::getline(keys, line); ++number) {
    const std::string text(trimmed(line));
    if (text.empty() || text.front() == '#') continue;
    std::optional<Op> op;
    try {
      op = parse(text);
    } catch (const DataError& error) {
      ++wrong;
      out << "# " << name << ":" << number << ": " << error.what() << "\n";
    }
    if (op) {
      const Measurement& measured = measure(*op, times[key(*op)]++);
      for (const OpRow& row : rows(measured, *op, id)) out << csv_line(cells(row)) << "\n";
      if (measured.device_lost) {
        out << std::endl;
        throw DeviceLost(key(*op) + ": " + measured.reason);
      }
    }
    out << std::endl;
  }
  return wrong;
}

}  // namespace stepcast
