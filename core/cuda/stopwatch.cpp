// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

/// Entries of the stream's queue that a sample takes beside its work: the flush and three events.
constexpr std::int64_t kBesideWork = 4;

double seconds_between(const Event& start, const Event& stop) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "reading a sample");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace

Stopwatch::Stopwatch(const StopwatchOptions& options)
    : options_(options),
      stream_(make_stream()),
      hold_(options.hold_timeout),
      flush_(options.flush),
      before_(make_event()) {
  hold_.enqueue(stream());
  hold_.release();
  flush_.enqueue(stream());
  clock_.begin(stream());
  clock_.end(stream());
  check(cudaStreamSynchronize(stream()), "running the stopwatch's own kernels");
}

Seconds Stopwatch::warm_up(const Work& work, std::int64_t times) {
  if (events_.empty()) events_.push_back({make_event(), make_event()});
  const auto& [start, stop] = events_.front();
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < times; ++i) {
    check(cudaEventRecord(start.get(), stream()), "recording an event");
    work(stream());
    check(cudaEventRecord(stop.get(), stream()), "recording an event");
    check(cudaStreamSynchronize(stream()), "warming up");
    least = std::min(least, seconds_between(start, stop));
  }
  return Seconds(least);
}

Series Stopwatch::cold(const Work& work, std::int64_t samples, std::int64_t launches) {
  const std::int64_t entries = launches + kBesideWork;
  const bool hold = options_.hold && entries <= options_.launches_behind_hold;
  const std::int64_t batch = std::max<std::int64_t>(1, options_.launches_behind_hold / entries);
  Series series;
  while (samples > 0) {
    const std::int64_t now = std::min(batch, samples);
    held(
        now, hold,
        [&](const EventPair& pair) {
          flush_.enqueue(stream());
          // An event behind the flush waits for it, one behind an event does not: with the start
          // in the second place samples of short kernels spread half as much.
          check(cudaEventRecord(before_.get(), stream()), "recording an event");
          check(cudaEventRecord(pair.start.get(), stream()), "recording an event");
          work(stream());
          check(cudaEventRecord(pair.stop.get(), stream()), "recording an event");
        },
        series);
    samples -= now;
  }
  return series;
}

Series Stopwatch::grouped(std::span<const NumberedWork> works, std::int64_t groups,
                          std::int64_t executions, bool flush) {
  const auto before = [&](cudaStream_t stream) {
    if (flush) flush_.enqueue_read(stream);
  };
  std::vector<ExecutionGroup> in_turn;
  in_turn.reserve(works.size());
  for (const NumberedWork& work : works) in_turn.emplace_back(work, executions, before, stream());
  Series series;
  series.places = static_cast<std::int64_t>(works.size());
  series.by_graph = true;
  series.executions = executions;
  for (std::int64_t i = 0; i < groups; ++i) {
    ExecutionGroup& group = in_turn[static_cast<std::size_t>(i % series.places)];
    const auto start = std::chrono::steady_clock::now();
    clock_.begin(stream());
    group.launch();
    clock_.end(stream());
    check(cudaStreamSynchronize(stream()), "running a group of executions");
    series.seconds.push_back(group.seconds());
    if (const double mhz = clock_.mhz(); mhz > 0) series.sm_clock_mhz = mhz;
    if (i + 1 == groups) break;
    std::this_thread::sleep_for((std::chrono::steady_clock::now() - start) * options_.pause);
  }
  return series;
}

Series Stopwatch::hot(std::span<const Work> works, std::int64_t groups, std::int64_t executions,
                      std::int64_t launches) {
  const std::int64_t covered = options_.graph_nodes / std::max<std::int64_t>(1, launches) - 1;
  const std::int64_t n = std::max<std::int64_t>(1, std::min(executions, covered));
  std::vector<NumberedWork> numbered;
  numbered.reserve(works.size());
  for (const Work& work : works) {
    numbered.emplace_back([&work](cudaStream_t on, std::int64_t) { work(on); });
  }
  try {
    return grouped(numbered, groups, n);
  } catch (const LibraryError&) {
    // Not capturable, or an error that will come again on the stream.
    return hot_by_stream(works.front(), groups, executions, launches);
  }
}

Series Stopwatch::hot_by_stream(const Work& work, std::int64_t groups, std::int64_t executions,
                                std::int64_t launches) {
  // One execution goes before those that are timed.
  const std::int64_t covered =
      (options_.launches_behind_hold - kBesideWork) / std::max<std::int64_t>(1, launches) - 1;
  const bool hold = options_.hold && covered >= 1;
  const std::int64_t n = std::max<std::int64_t>(1, std::min(executions, covered));
  Series series;
  for (std::int64_t group = 0; group < groups; ++group) {
    held(
        1, hold,
        [&](const EventPair& pair) {
          work(stream());
          check(cudaEventRecord(pair.start.get(), stream()), "recording an event");
          for (std::int64_t i = 0; i < n; ++i) work(stream());
          check(cudaEventRecord(pair.stop.get(), stream()), "recording an event");
        },
        series);
    series.seconds.back() /= static_cast<double>(n);
  }
  series.executions = n;
  return series;
}

void Stopwatch::held(std::int64_t samples, bool hold,
                     const std::function<void(const EventPair&)>& enqueue, Series& series) {
  const auto count = static_cast<std::size_t>(samples);
  while (events_.size() < count) events_.push_back({make_event(), make_event()});
  {
    const HoldRelease release(hold_);
    if (hold) hold_.enqueue(stream());
    clock_.begin(stream());
    for (std::size_t i = 0; i < count; ++i) enqueue(events_[i]);
    clock_.end(stream());
  }
  check(cudaStreamSynchronize(stream()), "running a series of samples");
  series.hold_timed_out = series.hold_timed_out || (hold && hold_.timed_out());
  for (std::size_t i = 0; i < count; ++i) {
    series.seconds.push_back(seconds_between(events_[i].start, events_[i].stop));
  }
  // The last part of a long series speaks for the whole.
  if (const double mhz = clock_.mhz(); mhz > 0) series.sm_clock_mhz = mhz;
}

}  // namespace stepcast
