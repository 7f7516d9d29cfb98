// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/error.hpp"

namespace stepcast {
namespace {

/// The median of the last third of the samples over that of the first, less 1.
double drift_of(const std::vector<double>& samples) {
  const std::size_t third = samples.size() / 3;
  if (third == 0) return 0;
  const std::span<const double> all(samples);
  return median(all.last(third)) / median(all.first(third)) - 1.0;
}

bool faster(const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; }

/// How far the medians of two places lie apart, over the lesser.
double difference_of(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.empty() || second.empty()) return 0;
  const double a = median(first);
  const double b = median(second);
  return std::max(a, b) / std::min(a, b) - 1.0;
}

double noise_of_first_half(const std::vector<double>& samples) {
  const std::span<const double> all(samples);
  return summarise(all.first((samples.size() + 1) / 2)).noise;
}

}  // namespace

Series Sampler::unthrottled(const Take& take, std::int64_t samples, std::int64_t& retries) {
  while (true) {
    Series series = take(samples);
    if (series.hold_timed_out) {
      throw HoldTimeout(
          "the hold ran out before its samples were enqueued; under a profiler or with launches "
          "that block, use --no-hold");
    }
    if (series.sm_clock_mhz > 0) last_clock_mhz_ = series.sm_clock_mhz;
    const double least = protocol_.least_clock * highest_clock_mhz_;
    if (series.sm_clock_mhz <= 0 || series.sm_clock_mhz >= least) return series;
    if (retries == protocol_.throttle_retries) {
      throw Throttled(fmt::format("SM clock {:.0f} MHz, below {:.0f} % of {:.0f} MHz, {} times",
                                  series.sm_clock_mhz, protocol_.least_clock * 100,
                                  highest_clock_mhz_, retries + 1));
    }
    ++retries;
    clock_.sleep(protocol_.throttle_wait);
  }
}

void Sampler::rest() {
  if (last_clock_mhz_ <= 0 || last_clock_mhz_ >= protocol_.rest_clock * highest_clock_mhz_) return;
  clock_.sleep(protocol_.rest);
  last_clock_mhz_ = 0;
}

Timing Sampler::until_quiet(const Take& take, std::int64_t exactly) {
  const Seconds start = clock_.now();
  std::int64_t retries = 0;
  std::vector<double> samples;
  std::vector<double> clocks;
  std::array<std::vector<double>, 2> at_place;
  Timing timing;
  while (timing.stop == Stop::not_yet) {
    const std::int64_t next =
        exactly > 0 ? std::min(exactly - timing.summary.samples, protocol_.most_a_series)
                    : next_samples(protocol_, timing.summary);
    const Series series = unthrottled(take, next, retries);
    samples.insert(samples.end(), series.seconds.begin(), series.seconds.end());
    if (series.sm_clock_mhz > 0) clocks.push_back(series.sm_clock_mhz);
    for (std::size_t i = 0; i < series.seconds.size() && series.places > 1; ++i) {
      at_place[i % 2].push_back(series.seconds[i]);
    }
    timing.by_graph = series.by_graph;
    timing.executions = series.executions;
    timing.summary = summarise(samples);
    if (exactly > 0) {
      if (timing.summary.samples >= exactly) timing.stop = Stop::samples;
      continue;
    }
    timing.stop =
        stop(protocol_, timing.summary, noise_of_first_half(samples), clock_.now() - start);
  }
  if (!clocks.empty()) timing.sm_clock_mhz = median(clocks);
  timing.drift = drift_of(samples);
  timing.place_difference = difference_of(at_place[0], at_place[1]);
  // A third of the samples knows its median less well; what may be chance is no drift.
  constexpr double kChance = 4.0;
  const double drift_limit =
      std::max(protocol_.unstable_drift, kChance * timing.summary.median_error);
  timing.unstable = timing.summary.median_error > protocol_.unstable_error ||
                    std::abs(timing.drift) > drift_limit || timing.place_difference > drift_limit;
  return timing;
}

Timing Sampler::cold(Subject& subject) {
  rest();
  subject.warm_up(protocol_.warm_ups);
  const Seconds one = subject.estimate();
  return until_quiet(
      [&](std::int64_t count) { return subject.cold(count, one, protocol_.group_time); },
      protocol_.fixed_samples);
}

Timing Sampler::hot(Subject& subject, Seconds one) {
  rest();
  subject.warm_up(protocol_.warm_ups);
  const double fit = one.count() > 0 ? protocol_.group_time / one : 1.0;
  // A power of two: a second run, in which `one` differs a little, takes as many.
  std::int64_t executions = 1;
  while (2 * executions <= protocol_.most_executions &&
         2.0 * static_cast<double>(executions) <= fit) {
    executions *= 2;
  }
  return until_quiet([&](std::int64_t groups) { return subject.hot(groups, executions); },
                     protocol_.hot_groups);
}

std::optional<Candidate> Sampler::if_it_runs(Subject& subject, std::int64_t rank,
                                             const std::function<double()>& time) {
  try {
    if (!subject.select(static_cast<std::size_t>(rank))) return std::nullopt;
    subject.warm_up(1);
    return Candidate{rank, time()};
  } catch (const LibraryError&) {
    // One candidate that does not run is no failure, unless it took the device with it.
    subject.recover();
    return std::nullopt;
  }
}

double Sampler::median_of(Subject& subject, std::int64_t samples, Seconds one, Seconds group_time) {
  std::int64_t retries = 0;
  const Series series = unthrottled(
      [&](std::int64_t count) { return subject.cold(count, one, group_time); }, samples, retries);
  return median(series.seconds);
}

std::optional<Candidate> Sampler::try_out(Subject& subject, std::int64_t rank, double best) {
  return if_it_runs(subject, rank, [&] {
    const Seconds one = subject.estimate();
    const bool hopeless = best > 0 && one.count() > protocol_.hopeless * best;
    if (hopeless) return one.count();
    return median_of(subject, protocol_.search_samples, one, protocol_.search_group_time);
  });
}

std::optional<Candidate> Sampler::refine(Subject& subject, std::int64_t rank, Seconds one) {
  return if_it_runs(subject, rank, [&] {
    return median_of(subject, protocol_.refine_samples, one, protocol_.group_time);
  });
}

Search Sampler::search(Subject& subject) {
  rest();
  const auto count =
      std::min(static_cast<std::int64_t>(subject.candidates()), protocol_.search_most);
  const Seconds start = clock_.now();
  std::vector<Candidate> timed;
  double best = 0;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    if (rank >= protocol_.search_least && clock_.now() - start >= protocol_.search_time) break;
    const auto candidate = try_out(subject, rank, best);
    if (!candidate) continue;
    timed.push_back(*candidate);
    best = best > 0 ? std::min(best, candidate->seconds) : candidate->seconds;
  }
  if (timed.empty()) return {};
  Search search{{}, static_cast<std::int64_t>(timed.size()), timed.front().rank == 0};
  const auto near = near_best(timed, protocol_.near_best);
  // Groups of one size for all of them: the events' part in a sample is then the same.
  const Seconds one(std::min_element(near.begin(), near.end(), faster)->seconds);
  std::vector<Candidate> finalists;
  for (const Candidate& candidate : near) {
    const auto again =
        near.size() == 1 ? std::optional(candidate) : refine(subject, candidate.rank, one);
    if (again) finalists.push_back(*again);
  }
  search.best = preferred(std::move(finalists), protocol_.tie);
  return search;
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
