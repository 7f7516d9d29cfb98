// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "roofline/allreduce_validation.hpp"

namespace stepcast {

namespace {

double worst_size(const std::vector<double>& errors) {
  return std::abs(*std::max_element(errors.begin(), errors.end(),
                                    [](double a, double b) { return std::abs(a) < std::abs(b); }));
}

std::string place_text(const std::vector<AllreducePoint>& points) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (const AllreducePoint& point : points) places.emplace(point.ranks, point.nodes);
  std::string text;
  for (const auto& [ranks, nodes] : places) {
    text += fmt::format("{}{}", text.empty() ? "" : " and ", ranks);
    if (nodes > 1) text += fmt::format(" on {} nodes", nodes);
  }
  return text;
}

std::string note_of(const JudgedPair& judged) {
  if (!judged.refusal.empty()) return "refused; the law would say this";
  if (judged.pair.law == LawKind::ranks) {
    return fmt::format("{:.1f} us a step, gain {:.2f}", judged.law.step / microseconds(1),
                       judged.law.pair_gain);
  }
  std::string note = judged.pair.network;
  if (const auto& bus = judged.pair.around.network_bus) {
    note += fmt::format(", given {:g} GB/s", *bus / gbps(1));
  }
  return claimed(judged) ? note : note + "; not in the sum";
}

}  // namespace

Table validation_table(const std::vector<JudgedPair>& judged) {
  Table table{"",
              {{"law", "law"},
               {"set", "set"},
               {"from GPUs", "from_ranks"},
               {"to GPUs", "to_ranks"},
               {"sizes", "sizes"},
               {"mean error", "mean_error", 1, true},
               {"worst", "worst_error", 1, true},
               {"in interval", "in_interval", 0, true},
               {"constant busbw: mean", "busbw_mean_error", 1, true},
               {"worst", "busbw_worst_error", 1, true},
               {"", "note"}},
              {}};
  for (const auto& [law, law_name] : kLawNames) {
    JudgedPair all;
    for (const JudgedPair& pair : judged) {
      if (pair.pair.law != law) continue;
      table.rows.push_back(
          {word_cell(law_name), word_cell(pair.pair.set), word_cell(place_text(pair.pair.from)),
           word_cell(place_text(pair.pair.to)),
           whole_cell(static_cast<std::int64_t>(pair.errors.size())),
           number_cell(mean_error(pair.errors)), number_cell(worst_size(pair.errors)),
           number_cell(static_cast<double>(pair.inside) / static_cast<double>(pair.errors.size())),
           number_cell(mean_error(pair.bus_errors)), number_cell(worst_size(pair.bus_errors)),
           word_cell(note_of(pair))});
      if (!claimed(pair)) continue;
      all.errors.insert(all.errors.end(), pair.errors.begin(), pair.errors.end());
      all.bus_errors.insert(all.bus_errors.end(), pair.bus_errors.begin(), pair.bus_errors.end());
      all.inside += pair.inside;
    }
    if (all.errors.empty()) continue;
    table.rows.push_back(
        {word_cell(law_name),
         word_cell("all"),
         {},
         {},
         whole_cell(static_cast<std::int64_t>(all.errors.size())),
         number_cell(mean_error(all.errors)),
         number_cell(worst_size(all.errors)),
         number_cell(static_cast<double>(all.inside) / static_cast<double>(all.errors.size())),
         number_cell(mean_error(all.bus_errors)),
         number_cell(worst_size(all.bus_errors)),
         word_cell(fmt::format("four of five within {:.1f} %", 100.0 * usual_error(judged, law)))});
  }
  return table;
}

}  // namespace stepcast
