// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sampler.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

Seconds since(std::chrono::steady_clock::time_point start) {
  return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

const Series& whole(const Series& series) {
  if (series.hold_timed_out) {
    throw HoldTimeout(
        "the hold ran out before its samples were enqueued; under a profiler or with launches that "
        "block, use --no-hold");
  }
  return series;
}

}  // namespace

template <typename Take>
Timing Sampler::until_quiet(const Take& take) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> samples;
  Timing timing;
  do {
    const Series series = take(protocol_.samples_a_series);
    whole(series);
    samples.insert(samples.end(), series.seconds.begin(), series.seconds.end());
    if (series.sm_clock_mhz > 0) timing.sm_clock_mhz = series.sm_clock_mhz;
    timing.summary = summarise(samples);
  } while (stop(protocol_, timing.summary, since(start)) == Stop::not_yet);
  return timing;
}

Timing Sampler::cold(const Work& work, std::int64_t launches) {
  stopwatch_.warm_up(work, protocol_.warm_ups);
  return until_quiet(
      [&](std::int64_t samples) { return stopwatch_.cold(work, samples, launches); });
}

Timing Sampler::hot(const Work& work, std::int64_t launches, Seconds one) {
  stopwatch_.warm_up(work, protocol_.warm_ups);
  const double fit = one.count() > 0 ? protocol_.hot_group_time / one : 1.0;
  const auto executions = static_cast<std::int64_t>(
      std::clamp(fit, 1.0, static_cast<double>(protocol_.launches_behind_hold)));
  return until_quiet(
      [&](std::int64_t groups) { return stopwatch_.hot(work, groups, executions, launches); });
}

std::optional<Candidate> Sampler::short_series(Plan& plan, std::int64_t rank, std::int64_t samples,
                                               std::int64_t launches) {
  const Work work = [&plan](cudaStream_t stream) { plan.enqueue(stream); };
  try {
    if (!plan.select(static_cast<std::size_t>(rank))) return std::nullopt;
    stopwatch_.warm_up(work);
    return Candidate{rank, median(whole(stopwatch_.cold(work, samples, launches)).seconds)};
  } catch (const LibraryError&) {
    // One candidate that does not run is no failure, unless it took the device with it.
    check(cudaStreamSynchronize(stopwatch_.stream()), "running a candidate of the search");
    return std::nullopt;
  }
}

Search Sampler::search(Plan& plan, std::int64_t limit, std::int64_t launches) {
  const auto count = std::min<std::int64_t>(limit, static_cast<std::int64_t>(plan.candidates()));
  std::vector<Candidate> timed;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    const auto candidate = short_series(plan, rank, protocol_.search_samples, launches);
    if (candidate) timed.push_back(*candidate);
  }
  if (timed.empty()) return {};
  std::vector<Candidate> finalists;
  const auto near = near_best(timed, protocol_.near_best);
  for (const Candidate& candidate : near) {
    const auto again = near.size() == 1
                           ? std::optional(candidate)
                           : short_series(plan, candidate.rank, protocol_.refine_samples, launches);
    if (again) finalists.push_back(*again);
  }
  if (finalists.empty()) return {};
  return {fastest(finalists), static_cast<std::int64_t>(timed.size()), timed.front().rank == 0};
}

std::vector<Candidate> near_best(std::span<const Candidate> candidates, double fraction) {
  std::vector<Candidate> near;
  if (candidates.empty()) return near;
  const double limit = fastest(candidates).seconds * (1.0 + fraction);
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(near),
               [&](const Candidate& candidate) { return candidate.seconds <= limit; });
  return near;
}

Candidate fastest(std::span<const Candidate> candidates) {
  return *std::min_element(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; });
}

}  // namespace stepcast
