// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/allreduce_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "comm/nccl/check_nccl.hpp"
#include "comm/nccl/exact_sum.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"

namespace stepcast {
namespace {

using Samples = std::vector<double>;

std::int64_t element_count(const AllreduceCase& one) {
  const std::int64_t size = element_bytes(one.dtype);
  if (one.payload_bytes <= 0 || one.payload_bytes % size != 0) {
    throw DataError(fmt::format("payload: {} bytes are no whole number of {} elements",
                                one.payload_bytes, name(one.dtype)));
  }
  return one.payload_bytes / size;
}

void choose(int device) { check(cudaSetDevice(device), fmt::format("choosing device {}", device)); }

/// Events of one GPU, in the order in which its stream reaches them.
struct Timeline {
  std::vector<Event> events;

  [[nodiscard]] Seconds between(std::size_t from, std::size_t to) const {
    float elapsed_ms = 0;
    check(cudaEventElapsedTime(&elapsed_ms, events[from].get(), events[to].get()),
          "reading the time between two events");
    return milliseconds(static_cast<double>(elapsed_ms));
  }
};

/// What a series of calls needs at hand.
struct Series {
  Communicators& comms;
  const AllreduceBuffers& buffers;
  const AllreduceCase& one;
  std::int64_t count;

  void fill() const {
    for (std::size_t i = 0; i < comms.ranks().size(); ++i) {
      const Rank& rank = comms.ranks()[i];
      choose(rank.device);
      fill_terms(one.dtype, buffers.send()[i], count, static_cast<int>(i), rank.stream.get());
    }
  }

  void call() const {
    comms.allreduce(buffers.send(), buffers.receive(), static_cast<std::size_t>(count), one.dtype);
  }

  [[nodiscard]] std::vector<Timeline> timelines(std::int64_t events) const {
    std::vector<Timeline> lines(comms.ranks().size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      choose(comms.ranks()[i].device);
      for (std::int64_t e = 0; e < events; ++e) lines[i].events.push_back(make_event());
    }
    return lines;
  }

  void record(const std::vector<Timeline>& lines, std::size_t event) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      choose(comms.ranks()[i].device);
      check(cudaEventRecord(lines[i].events[event].get(), comms.ranks()[i].stream.get()),
            "recording an event");
    }
  }
};

std::int64_t wrong_elements(const Series& series) {
  series.fill();
  series.call();
  std::vector<DeviceBuffer<unsigned long long>> wrong;
  const auto& ranks = series.comms.ranks();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    choose(ranks[i].device);
    wrong.emplace_back(1);
    check(cudaMemsetAsync(wrong[i].data(), 0, wrong[i].bytes(), ranks[i].stream.get()),
          "clearing a counter");
    count_wrong(series.one.dtype, series.buffers.receive()[i], series.count,
                static_cast<int>(ranks.size()), wrong[i].data(), ranks[i].stream.get());
  }
  series.comms.wait("checking " + case_name(series.one));
  std::int64_t total = 0;
  for (const DeviceBuffer<unsigned long long>& counter : wrong) {
    unsigned long long counted = 0;
    check(cudaMemcpy(&counted, counter.data(), sizeof counted, cudaMemcpyDeviceToHost),
          "reading a counter");
    total += static_cast<std::int64_t>(counted);
  }
  return total;
}

/// Mean over iterations, of each rank.
Samples batch_means(const Series& series, std::int64_t iterations) {
  const std::vector<Timeline> lines = series.timelines(2);
  series.fill();
  series.call();
  series.record(lines, 0);
  for (std::int64_t i = 0; i < iterations; ++i) series.call();
  series.record(lines, 1);
  series.comms.wait("timing " + case_name(series.one));
  Samples means;
  for (const Timeline& line : lines) {
    means.push_back(line.between(0, 1).count() / static_cast<double>(iterations));
  }
  return means;
}

/// The slowest rank's time, of each iteration.
Samples slowest_of_each(const Series& series, std::int64_t iterations) {
  const std::vector<Timeline> lines = series.timelines(iterations + 1);
  const auto n = static_cast<std::size_t>(iterations);
  series.fill();
  series.call();
  series.record(lines, 0);
  for (std::size_t i = 0; i < n; ++i) {
    series.call();
    series.record(lines, i + 1);
  }
  series.comms.wait("timing each " + case_name(series.one));
  Samples slowest(n, 0.0);
  for (const Timeline& line : lines) {
    for (std::size_t i = 0; i < n; ++i) {
      slowest[i] = std::max(slowest[i], line.between(i, i + 1).count());
    }
  }
  return slowest;
}

}  // namespace

std::string case_name(const AllreduceCase& one) {
  return fmt::format("allreduce/{}/{}/{}", name(one.dtype), one.payload_bytes,
                     one.in_place ? "in_place" : "out_of_place");
}

std::optional<AllreduceBuffers> AllreduceBuffers::make(const Communicators& comms,
                                                       const AllreduceCase& one,
                                                       std::string& reason) {
  AllreduceBuffers buffers;
  const auto bytes = static_cast<std::size_t>(one.payload_bytes);
  for (const Rank& rank : comms.ranks()) {
    choose(rank.device);
    for (int i = 0; i < (one.in_place ? 1 : 2); ++i) {
      void* memory = nullptr;
      const cudaError_t status = cudaMalloc(&memory, bytes);
      if (status == cudaErrorMemoryAllocation) {
        static_cast<void>(cudaGetLastError());  // reported here, so it is cleared
        std::size_t free_bytes = 0;
        std::size_t all_bytes = 0;
        check(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for free memory");
        reason = fmt::format("out of memory: device {} has {} of {} bytes free, a buffer needs {}",
                             rank.device, free_bytes, all_bytes, bytes);
        return std::nullopt;
      }
      check(status, "allocating an allreduce buffer");
      buffers.owned_.emplace_back(memory);
    }
    buffers.receive_.push_back(buffers.owned_.back().get());
    buffers.send_.push_back(buffers.owned_[buffers.owned_.size() - (one.in_place ? 1 : 2)].get());
  }
  return buffers;
}

AllreduceTiming time_allreduce(Communicators& comms, const AllreduceBuffers& buffers,
                               const AllreduceCase& one, const AllreduceProtocol& protocol) {
  if (comms.size() > kMostExactRanks) {
    throw DataError(fmt::format("ranks: {} are more than the {} whose sums can be checked",
                                comms.size(), kMostExactRanks));
  }
  const Series series{comms, buffers, one, element_count(one)};
  series.fill();
  for (std::int64_t i = 0; i < protocol.warmup; ++i) series.call();
  comms.wait("warming up " + case_name(one));

  AllreduceTiming timing;
  timing.wrong_elements = wrong_elements(series);
  const Samples means = batch_means(series, protocol.iterations);
  timing.min_rank = Seconds(*std::min_element(means.begin(), means.end()));
  timing.max_rank = Seconds(*std::max_element(means.begin(), means.end()));
  timing.mean_rank =
      Seconds(std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size()));
  timing.median = Seconds(median(slowest_of_each(series, protocol.iterations)));
  timing.iterations = protocol.iterations;
  return timing;
}

}  // namespace stepcast
