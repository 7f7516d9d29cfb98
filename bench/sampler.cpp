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

double Sampler::median_of(Subject& subject, std::int64_t samples, Seconds one, Seconds group_time) {
  std::int64_t retries = 0;
  const Series series =
      unthrottled([&](std::int64_t count) { return subject.cold(count, one, group_time); },
                  even(samples), retries);
  return median(series.seconds);
}

}  // namespace stepcast
