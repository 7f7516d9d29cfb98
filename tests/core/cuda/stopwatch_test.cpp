// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/stopwatch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "core/statistics.hpp"
#include "tests/core/cuda/gpu_test.hpp"

namespace stepcast {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kGib = std::size_t{1} << 30;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

StopwatchOptions options() {
  int l2 = 0;
  check(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), "reading the size of the L2 cache");
  StopwatchOptions result;
  result.flush = Bytes(2.0 * l2);
  return result;
}

Work copy_work(const DeviceBuffer<char>& to, const DeviceBuffer<char>& from) {
  return [&to, &from](cudaStream_t stream) {
    check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice, stream),
          "copying");
  };
}

Work memset_work(const DeviceBuffer<char>& buffer) {
  return [&buffer](cudaStream_t stream) {
    check(cudaMemsetAsync(buffer.data(), 1, buffer.bytes(), stream), "setting");
  };
}

class Stopwatches : public testing::GpuTest {};
class Holds : public testing::GpuTest {};

TEST_F(Holds, HoldEndsByItselfAfterItsTimeout) {
  Hold hold(Seconds(0.05));
  const Stream stream = make_stream();
  const auto start = Clock::now();
  hold.enqueue(stream.get());
  check(cudaStreamSynchronize(stream.get()), "waiting for the hold");
  const double waited = seconds_since(start);
  EXPECT_GE(waited, 0.045);
  EXPECT_LT(waited, 1.0);
  EXPECT_TRUE(hold.timed_out());
}

TEST_F(Holds, ReleasedHoldHasNotTimedOut) {
  Hold hold(Seconds(2));
  const Stream stream = make_stream();
  for (int i = 0; i < 3; ++i) {
    hold.enqueue(stream.get());
    EXPECT_EQ(cudaStreamQuery(stream.get()), cudaErrorNotReady);
    hold.release();
    check(cudaStreamSynchronize(stream.get()), "waiting for the hold");
    EXPECT_FALSE(hold.timed_out());
  }
}

TEST_F(Stopwatches, EmptyWorkTakesNearlyNothing) {
  Stopwatch stopwatch(options());
  const Series series = stopwatch.cold([](cudaStream_t) {}, 20, 0);
  ASSERT_EQ(series.seconds.size(), 20U);
  EXPECT_GE(median(series.seconds), 0.0);
  EXPECT_LT(median(series.seconds), 10e-6);
  EXPECT_FALSE(series.hold_timed_out);
}

TEST_F(Stopwatches, LargeMemsetTakesItsBytesOverTheCopyBandwidth) {
  Stopwatch stopwatch(options());
  const DeviceBuffer<char> from(kGib);
  const DeviceBuffer<char> to(kGib);
  const Work copy = copy_work(to, from);
  const Work set = memset_work(to);
  stopwatch.warm_up(copy, 20);
  stopwatch.warm_up(set, 20);
  const double bandwidth =  // read and written
      2.0 * static_cast<double>(kGib) / median(stopwatch.cold(copy, 10, 1).seconds);
  const double expected = static_cast<double>(kGib) / bandwidth;
  EXPECT_NEAR(median(stopwatch.cold(set, 10, 1).seconds), expected, 0.3 * expected);
}

TEST_F(Stopwatches, LargeMemsetAgreesWithTheHostsClock) {
  Stopwatch stopwatch(options());
  const DeviceBuffer<char> buffer(kGib);
  const Work set = memset_work(buffer);
  stopwatch.warm_up(set, 20);
  const auto start = Clock::now();
  stopwatch.warm_up(set, 50);  // waits for the last
  const double by_host = seconds_since(start) / 50;
  EXPECT_NEAR(median(stopwatch.hot(std::span(&set, 1), 10, 5, 1).seconds), by_host, 0.3 * by_host);
}

TEST_F(Stopwatches, SmallCopyIsNotSlowerHotThanCold) {
  Stopwatch stopwatch(options());
  const DeviceBuffer<char> from(std::size_t{4} << 20);
  const DeviceBuffer<char> to(std::size_t{4} << 20);
  const Work copy = copy_work(to, from);
  stopwatch.warm_up(copy, 100);
  EXPECT_LE(median(stopwatch.hot(std::span(&copy, 1), 20, 100, 1).seconds),
            median(stopwatch.cold(copy, 20, 1).seconds));
}

TEST_F(Stopwatches, GroupsTakeTurnsWithTheWorks) {
  Stopwatch stopwatch(options());
  const DeviceBuffer<char> small(std::size_t{8} << 20);
  const DeviceBuffer<char> large(std::size_t{256} << 20);
  std::vector<std::int64_t> numbers;
  const auto set = [&](const DeviceBuffer<char>& buffer) {
    return [&](cudaStream_t stream, std::int64_t number) {
      numbers.push_back(number);
      check(cudaMemsetAsync(buffer.data(), 1, buffer.bytes(), stream), "setting");
    };
  };
  const std::vector<NumberedWork> works{set(small), set(large)};
  const Series series = stopwatch.grouped(works, 5, 3);
  ASSERT_EQ(series.seconds.size(), 5U);
  EXPECT_EQ(series.places, 2);
  EXPECT_EQ(series.executions, 3);
  EXPECT_TRUE(series.by_graph);
  for (const std::size_t i : {0U, 2U, 4U}) {
    EXPECT_LT(series.seconds[i], 0.5 * series.seconds[1]) << i;
    EXPECT_LT(series.seconds[i], 0.5 * series.seconds[3]) << i;
  }
  // Each is captured once: execution 0, which is not timed, and three that are.
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST_F(Stopwatches, ReadingFlushEvictsWhatWasRead) {
  Stopwatch stopwatch(options());
  const DeviceBuffer<char> from(std::size_t{4} << 20);
  const DeviceBuffer<char> to(std::size_t{4} << 20);
  const NumberedWork copy = [&](cudaStream_t stream, std::int64_t number) {
    // Execution 0 reads other memory than the one that is timed.
    char* target = number == 0 ? from.data() : to.data();
    const char* source = number == 0 ? to.data() : from.data();
    if (number > 0) {
      check(cudaMemcpyAsync(target, source, to.bytes(), cudaMemcpyDeviceToDevice, stream),
            "copying");
    }
  };
  const double cold = median(stopwatch.grouped(std::span(&copy, 1), 9, 1, true).seconds);
  const double hot = median(stopwatch.grouped(std::span(&copy, 1), 9, 1, false).seconds);
  EXPECT_GT(cold, 1.1 * hot);
}

TEST_F(Stopwatches, HoldKeepsTheHostsGapsOutOfASample) {
  const DeviceBuffer<char> buffer(1024);
  const Work with_gap = [&buffer](cudaStream_t stream) {
    check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "setting");
    std::this_thread::sleep_for(milliseconds(2));
    check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "setting");
  };
  StopwatchOptions held = options();
  Stopwatch behind_hold(held);
  behind_hold.warm_up(with_gap);
  EXPECT_LT(median(behind_hold.cold(with_gap, 5, 2).seconds), 1e-3);
  held.hold = false;
  Stopwatch unheld(held);
  EXPECT_GT(median(unheld.cold(with_gap, 5, 2).seconds), 1.5e-3);
}

TEST_F(Stopwatches, SeriesWhoseHoldRanOutIsMarked) {
  StopwatchOptions short_hold = options();
  short_hold.hold_timeout = Seconds(0.01);
  Stopwatch stopwatch(short_hold);
  const Series series =
      stopwatch.cold([](cudaStream_t) { std::this_thread::sleep_for(milliseconds(50)); }, 1, 0);
  EXPECT_TRUE(series.hold_timed_out);
  EXPECT_EQ(series.seconds.size(), 1U);
}

TEST_F(Stopwatches, ErrorInTheWorkReleasesTheHold) {
  Stopwatch stopwatch(options());
  const auto start = Clock::now();
  const Work broken = [](cudaStream_t) { throw std::runtime_error("broken"); };
  EXPECT_THROW(stopwatch.cold(broken, 1, 1), std::runtime_error);
  check(cudaDeviceSynchronize(), "waiting for the stream");
  EXPECT_LT(seconds_since(start), 1.0);  // the hold's timeout is 2 s
}

TEST_F(Stopwatches, SmClockOfALongSeriesIsAClock) {
  Stopwatch stopwatch(options());
  const DeviceBuffer<char> buffer(kGib);
  const Work set = memset_work(buffer);
  stopwatch.warm_up(set);
  const Series series = stopwatch.cold(set, 10, 1);
  EXPECT_GT(series.sm_clock_mhz, 200);
  EXPECT_LT(series.sm_clock_mhz, 3500);
}

}  // namespace
}  // namespace stepcast
