// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/allreduce_validation.hpp"

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

Surroundings without_fabric(Surroundings around) {
  around.fabric = Fabric::unknown;
  return around;
}

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

namespace {

/// Whether the law of ranks is fitted to the pair.
bool fits_ranks(const AllreducePair& pair) {
  return pair.law == LawKind::ranks && pair.around.fabric == Fabric::nvswitch;
}

}  // namespace

RankLaw fit_rank_law(const std::vector<AllreducePair>& pairs, const std::string& left_out) {
  std::vector<std::pair<Judgement, AllreduceTable>> fitted;
  for (const AllreducePair& pair : pairs) {
    if (!fits_ranks(pair) || pair.set == left_out) continue;
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
      const double mean = mean_error(errors);
      if (least > 0.0 && mean >= least) continue;
      least = mean;
      best = law;
    }
  }
  return best;
}

std::vector<JudgedPair> judge(const std::vector<AllreducePair>& pairs) {
  const RankLaw of_all = fit_rank_law(pairs);
  std::map<std::string, RankLaw> of_others;
  for (const AllreducePair& pair : pairs) {
    if (!fits_ranks(pair) || of_others.count(pair.set) > 0) continue;
    of_others[pair.set] = fit_rank_law(pairs, pair.set);
  }
  std::vector<JudgedPair> judged;
  for (const AllreducePair& pair : pairs) {
    const auto others = of_others.find(pair.set);
    const RankLaw& law = others == of_others.end() ? of_all : others->second;
    JudgedPair one{pair, law, "", {}, {}, 0};
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

double mean_error(const std::vector<double>& errors) {
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0,
                                     [](double a, double b) { return a + std::abs(b); });
  return sum / static_cast<double>(errors.size());
}

double usual_error(const std::vector<JudgedPair>& judged, LawKind law) {
  std::vector<double> sizes;
  for (const JudgedPair& pair : judged) {
    if (pair.pair.law != law || !claimed(pair)) continue;
    for (const double error : pair.errors) sizes.push_back(std::abs(error));
  }
  return quantile(sizes, 0.8);
}

}  // namespace stepcast
