// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/sm_clock.hpp"

#include <algorithm>
#include <vector>

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

constexpr unsigned kMaxSms = 1024;
constexpr unsigned long long kShortest = 50'000;  // ns

__global__ void stamp_clock(SmClock::Stamp* stamps) {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  if (sm >= kMaxSms) return;
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  stamps[sm] = {clock64(), now};
}

}  // namespace

SmClock::SmClock() : stamps_(2 * kMaxSms) {
  int device = 0;
  int sms = 0;
  check(cudaGetDevice(&device), "reading the current device");
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
        "reading the number of SMs");
  // Blocks are dealt out over idle SMs; twice as many as SMs reach nearly all of them.
  blocks_ = 2 * sms;
}

void SmClock::mark(Stamp* stamps, cudaStream_t stream) {
  stamp_clock<<<blocks_, 1, 0, stream>>>(stamps);
  check_launch("stamp_clock");
}

void SmClock::begin(cudaStream_t stream) {
  check(cudaMemsetAsync(stamps_.data(), 0, stamps_.bytes(), stream), "clearing the clock's stamps");
  mark(stamps_.data(), stream);
}

void SmClock::end(cudaStream_t stream) { mark(stamps_.data() + kMaxSms, stream); }

double SmClock::mhz() const {
  std::vector<Stamp> stamps(stamps_.size());
  check(cudaMemcpy(stamps.data(), stamps_.data(), stamps_.bytes(), cudaMemcpyDeviceToHost),
        "reading the clock's stamps");
  std::vector<double> clocks;
  for (unsigned sm = 0; sm < kMaxSms; ++sm) {
    const Stamp& first = stamps[sm];
    const Stamp& last = stamps[kMaxSms + sm];
    if (first.time_ns == 0 || last.time_ns < first.time_ns + kShortest) continue;
    clocks.push_back(1e3 * static_cast<double>(last.cycles - first.cycles) /
                     static_cast<double>(last.time_ns - first.time_ns));
  }
  if (clocks.empty()) return 0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

}  // namespace stepcast
