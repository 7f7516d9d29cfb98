// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/allreduce_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "comm/collective.hpp"
#include "comm/nccl_tests_log.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

namespace stepcast {

namespace {

const CsvSchema& pairs_schema() {
  static const CsvSchema schema{
      "allreduce_pairs",
      1,
      {"law", "set", "from", "to", "fabric", "network", "network_busbw_gbps"}};
  return schema;
}

std::vector<AllreducePoint> points_of(const std::filesystem::path& log) {
  std::vector<AllreducePoint> points;
  for (const NcclTestsTable& table : read_nccl_tests_log(log).tables) {
    for (const AllreduceRow& row : table.rows) {
      if (!row.in_place) continue;
      points.push_back({row.ranks, Bytes(static_cast<double>(row.payload_bytes)),
                        Seconds(row.median_s), row.nodes});
    }
  }
  if (points.empty()) throw DataError(log.string() + ": holds no allreduce in place");
  return points;
}

/// The network whose hop the law of nodes has.
constexpr std::string_view kClaimedNetwork = "InfiniBand";

bool power_of_two(Bytes payload) {
  return std::has_single_bit(static_cast<std::uint64_t>(payload.count()));
}

bool in_range(Bytes payload) { return payload >= mib(1) && payload <= mib(1024); }

/// What the law starts from, and the points that it is judged at.
struct Judgement {
  std::vector<AllreducePoint> from, at;
};

Judgement judgement_of(const AllreducePair& pair) {
  const bool sizes = pair.law == LawKind::sizes;
  Judgement judgement;
  std::set<double> known;
  for (const AllreducePoint& point : pair.from) {
    known.insert(point.payload.count());
    if (!sizes || power_of_two(point.payload)) judgement.from.push_back(point);
  }
  for (const AllreducePoint& point : pair.to) {
    if (!in_range(point.payload) || known.count(point.payload.count()) == 0) continue;
    if (power_of_two(point.payload) != sizes) judgement.at.push_back(point);
  }
  if (judgement.at.empty()) throw DataError(pair.set + ": two logs without a size in common");
  return judgement;
}

double error_of(Seconds fitted, Seconds real) { return fitted / real - 1.0; }

double mean_size(const std::vector<double>& errors) {
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0,
                                     [](double a, double b) { return a + std::abs(b); });
  return sum / static_cast<double>(errors.size());
}

double worst_size(const std::vector<double>& errors) {
  return std::abs(*std::max_element(errors.begin(), errors.end(),
                                    [](double a, double b) { return std::abs(a) < std::abs(b); }));
}

std::vector<double> errors_of(const Judgement& judgement, const AllreduceTable& table) {
  std::vector<double> errors;
  errors.reserve(judgement.at.size());
  for (const AllreducePoint& real : judgement.at) {
    errors.push_back(error_of(table.time(real.ranks, real.payload).time, real.time));
  }
  return errors;
}

/// The wire time alone: at the network's rate where one is given, else at the rate that the first
/// log has at this size or, where it lacks it, at the next smaller one.
Seconds constant_bus(const Judgement& judgement, const Surroundings& around,
                     const AllreducePoint& real) {
  const Bytes wire = wire_bytes(real.ranks, real.payload);
  if (around.network_bus) return wire / *around.network_bus;
  const AllreducePoint* base = nullptr;
  for (const AllreducePoint& point : judgement.from) {
    if (point.payload <= real.payload && (base == nullptr || point.payload > base->payload)) {
      base = &point;
    }
  }
  if (base == nullptr) throw DataError("no smaller size to take a bandwidth from");
  return wire / bus_bandwidth(base->ranks, base->payload, base->time);
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

Surroundings without_fabric(Surroundings around) {
  around.fabric = Fabric::unknown;
  return around;
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

Cell cell(std::string text) { return {std::move(text), std::nullopt}; }
Cell cell(double number) { return {number, std::nullopt}; }
Cell cell(std::size_t number) { return {static_cast<std::int64_t>(number), std::nullopt}; }

}  // namespace

std::vector<AllreducePair> read_allreduce_pairs(const std::filesystem::path& file) {
  std::vector<AllreducePair> pairs;
  for (const CsvRow& row : read_csv(file, pairs_schema())) {
    AllreducePair pair;
    pair.law = parse_enum(kLawNames, row.text("law"), row.place("law"));
    pair.set = row.text("set");
    pair.network = row.text("network");
    pair.around.fabric = parse_enum(kFabricNames, row.text("fabric"), row.place("fabric"));
    const double rate = row.number_or("network_busbw_gbps", 0.0);
    if (rate > 0.0) pair.around.network_bus = gbps(rate);
    const auto logs = file.parent_path() / "nccl_logs";
    for (const std::string_view name : split(row.text("from"), '+')) {
      const std::vector<AllreducePoint> points = points_of(logs / name);
      pair.from.insert(pair.from.end(), points.begin(), points.end());
    }
    pair.to = points_of(logs / row.text("to"));
    pair.around.ranks_per_node = pair.to.front().ranks / pair.to.front().nodes;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

RankLaw fit_rank_law(const std::vector<AllreducePair>& pairs, const std::string& left_out) {
  std::vector<std::pair<Judgement, AllreduceTable>> fitted;
  for (const AllreducePair& pair : pairs) {
    const bool switched = pair.around.fabric == Fabric::nvswitch;
    if (pair.law != LawKind::ranks || !switched || pair.set == left_out) continue;
    Judgement judgement = judgement_of(pair);
    AllreduceTable table(judgement.from, pair.around);
    fitted.emplace_back(std::move(judgement), std::move(table));
  }
  if (fitted.empty()) throw DataError("no pair of logs to fit the law of ranks to");
  RankLaw best;
  double least = 0.0;
  for (int step = 0; step <= 40; ++step) {
    for (int gain = 100; gain <= 125; ++gain) {
      const RankLaw law{microseconds(step * 0.1), gain * 0.01};
      std::vector<double> errors;
      for (auto& [judgement, table] : fitted) {
        table.set_rank_law(law);
        const std::vector<double> more = errors_of(judgement, table);
        errors.insert(errors.end(), more.begin(), more.end());
      }
      const double mean = mean_size(errors);
      if (least > 0.0 && mean >= least) continue;
      least = mean;
      best = law;
    }
  }
  return best;
}

std::vector<JudgedPair> judge(const std::vector<AllreducePair>& pairs) {
  std::map<std::string, RankLaw> laws;
  for (const AllreducePair& pair : pairs) {
    if (laws.count(pair.set) == 0) laws[pair.set] = fit_rank_law(pairs, pair.set);
  }
  std::vector<JudgedPair> judged;
  for (const AllreducePair& pair : pairs) {
    JudgedPair one{pair, laws[pair.set], "", {}, {}, 0};
    one.pair.around.rank_law = one.law;
    const Judgement judgement = judgement_of(pair);
    one.refusal = AllreduceTable(judgement.from, one.pair.around).refusal(pair.to.front().ranks);
    const AllreduceTable table(judgement.from, without_fabric(one.pair.around));
    for (const AllreducePoint& real : judgement.at) {
      const AllreduceEstimate fitted = table.time(real.ranks, real.payload);
      one.errors.push_back(error_of(fitted.time, real.time));
      one.bus_errors.push_back(error_of(constant_bus(judgement, one.pair.around, real), real.time));
      if (real.time >= fitted.low && real.time <= fitted.high) ++one.inside;
    }
    judged.push_back(std::move(one));
  }
  return judged;
}

bool claimed(const JudgedPair& judged) {
  const bool network = judged.pair.law == LawKind::nodes;
  return judged.refusal.empty() && (!network || judged.pair.network == kClaimedNetwork);
}

double usual_error(const std::vector<JudgedPair>& judged, LawKind law) {
  std::vector<double> sizes;
  for (const JudgedPair& pair : judged) {
    if (pair.pair.law != law || !claimed(pair)) continue;
    for (const double error : pair.errors) sizes.push_back(std::abs(error));
  }
  return quantile(sizes, 0.8);
}

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
          {cell(std::string(law_name)), cell(pair.pair.set), cell(place_text(pair.pair.from)),
           cell(place_text(pair.pair.to)), cell(pair.errors.size()), cell(mean_size(pair.errors)),
           cell(worst_size(pair.errors)),
           cell(static_cast<double>(pair.inside) / static_cast<double>(pair.errors.size())),
           cell(mean_size(pair.bus_errors)), cell(worst_size(pair.bus_errors)),
           cell(note_of(pair))});
      if (!claimed(pair)) continue;
      all.errors.insert(all.errors.end(), pair.errors.begin(), pair.errors.end());
      all.bus_errors.insert(all.bus_errors.end(), pair.bus_errors.begin(), pair.bus_errors.end());
      all.inside += pair.inside;
    }
    if (all.errors.empty()) continue;
    table.rows.push_back(
        {cell(std::string(law_name)),
         cell(std::string("all")),
         {},
         {},
         cell(all.errors.size()),
         cell(mean_size(all.errors)),
         cell(worst_size(all.errors)),
         cell(static_cast<double>(all.inside) / static_cast<double>(all.errors.size())),
         cell(mean_size(all.bus_errors)),
         cell(worst_size(all.bus_errors)),
         cell(fmt::format("four of five within {:.1f} %", 100.0 * usual_error(judged, law)))});
  }
  return table;
}

}  // namespace stepcast
