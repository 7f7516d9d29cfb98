// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/plan_search.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "core/error.hpp"

namespace stepcast {
namespace {

bool faster(const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; }

class PlanSearch {
 public:
  PlanSearch(Subject& subject, Sampler& sampler)
      : subject_(subject), sampler_(sampler), protocol_(sampler.protocol()) {}

  Search run() {
    sampler_.rest();
    const std::vector<Candidate> timed = try_all();
    if (timed.empty()) return {};
    return {preferred(refined(near_best(timed, protocol_.near_best)), protocol_.tie),
            static_cast<std::int64_t>(timed.size()), timed.front().rank == 0};
  }

 private:
  std::vector<Candidate> try_all() {
    const auto count =
        std::min(static_cast<std::int64_t>(subject_.candidates()), protocol_.search_most);
    const Seconds start = sampler_.clock().now();
    std::vector<Candidate> timed;
    double best = 0;
    for (std::int64_t rank = 0; rank < count; ++rank) {
      const bool is_late = sampler_.clock().now() - start >= protocol_.search_time;
      if (rank >= protocol_.search_least && is_late) break;
      const auto candidate = try_out(rank, best);
      if (!candidate) continue;
      timed.push_back(*candidate);
      best = best > 0 ? std::min(best, candidate->seconds) : candidate->seconds;
    }
    return timed;
  }

  std::vector<Candidate> refined(std::vector<Candidate> near) {
    if (near.size() < 2) return near;
    // Groups of one size for all of them: the events' part in a sample is then the same.
    const Seconds one(std::min_element(near.begin(), near.end(), faster)->seconds);
    std::vector<Candidate> finalists;
    for (const Candidate& candidate : near) {
      if (const auto again = refine(candidate.rank, one)) finalists.push_back(*again);
    }
    return finalists;
  }

  /// A first look at a candidate. One that an estimate shows to be far slower than the best so far
  /// (0 for none) is not sampled. Nothing if it does not build or run.
  std::optional<Candidate> try_out(std::int64_t rank, double best) {
    return if_it_runs(rank, [&] {
      const Seconds one = subject_.estimate();
      const bool hopeless = best > 0 && one.count() > protocol_.hopeless * best;
      // The estimate of a long execution is made of samples of one, as the series would be.
      if (hopeless || one >= protocol_.search_group_time) return one.count();
      return sampler_.median_of(subject_, protocol_.search_samples, one,
                                protocol_.search_group_time);
    });
  }

  /// A longer look, in groups for executions that take `one`.
  std::optional<Candidate> refine(std::int64_t rank, Seconds one) {
    const double wanted = one.count() > 0 ? protocol_.refine_time / one : 1e9;
    const double samples = std::clamp(wanted, static_cast<double>(protocol_.refine_least),
                                      static_cast<double>(protocol_.refine_samples));
    return if_it_runs(rank, [&] {
      return sampler_.median_of(subject_, static_cast<std::int64_t>(samples), one,
                                protocol_.group_time);
    });
  }

  /// What `time` gives for a candidate; nothing if it does not build or run.
  std::optional<Candidate> if_it_runs(std::int64_t rank, const std::function<double()>& time) {
    try {
      if (!subject_.select(static_cast<std::size_t>(rank))) return std::nullopt;
      subject_.warm_up(1);
      return Candidate{rank, time()};
    } catch (const LibraryError&) {
      // One candidate that does not run is no failure, unless it took the device with it.
      subject_.recover();
      return std::nullopt;
    }
  }

  Subject& subject_;
  Sampler& sampler_;
  const Protocol& protocol_;
};

}  // namespace

Search search_plans(Subject& subject, Sampler& sampler) {
  return PlanSearch(subject, sampler).run();
}

std::vector<Candidate> near_best(std::span<const Candidate> candidates, double fraction) {
  std::vector<Candidate> near;
  if (candidates.empty()) return near;
  const auto fastest = std::min_element(candidates.begin(), candidates.end(), faster);
  const double limit = fastest->seconds * (1.0 + fraction);
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(near),
               [&](const Candidate& candidate) { return candidate.seconds <= limit; });
  return near;
}

std::vector<Candidate> preferred(std::vector<Candidate> candidates, double tie) {
  std::stable_sort(candidates.begin(), candidates.end(), faster);
  if (candidates.empty()) return candidates;
  const double limit = candidates.front().seconds * (1.0 + tie);
  const auto end = std::find_if(candidates.begin(), candidates.end(),
                                [&](const Candidate& one) { return one.seconds > limit; });
  std::sort(candidates.begin(), end,
            [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  return candidates;
}

}  // namespace stepcast
