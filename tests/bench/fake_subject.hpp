// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A subject without a GPU: plans that take a made-up time on a made-up clock, and fail as they are
// told to.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/subject.hpp"
#include "core/error.hpp"

namespace stepcast::testing {

class FakeClock final : public HostClock {
 public:
  [[nodiscard]] Seconds now() override { return now_; }
  void sleep(Seconds time) override {
    now_ += time;
    slept += time;
  }
  void pass(Seconds time) { now_ += time; }

  Seconds slept;

 private:
  Seconds now_{100.0};
};

/// One candidate.
struct FakePlan {
  double seconds = 1e-5;
  double spread = 0;  // samples lie evenly within +-spread of `seconds`
  double drift = 0;   // each sample is longer than the one before by this part
  bool builds = true;
  bool runs = true;  // else warm_up() throws LibraryError
  Verdict verdict{100, 0, 0.2, ""};
  bool lethal = false;       // where it does not run, the device is lost
  double place = 0;          // samples in the second place in memory are longer by this part
  bool runs_in_full = true;  // else a full series' warm-up throws LibraryError
  double loaded = 0;         // samples of a full series, not of a search, are longer by this part
};

class FakeSubject final : public Subject {
 public:
  FakeSubject(FakeClock& clock, std::vector<FakePlan> plans)
      : plans_(std::move(plans)), clock_(clock) {}

  [[nodiscard]] std::size_t candidates() const override { return plans_.size(); }
  bool select(std::size_t rank) override {
    if (rank >= plans_.size() || !plans_[rank].builds) return false;
    selected_ = rank;
    return true;
  }
  [[nodiscard]] std::size_t selected() const override { return selected_; }
  [[nodiscard]] PlanFacts facts() const override {
    return {"plan" + std::to_string(selected_), "", 0};
  }
  void warm_up(std::int64_t times) override {
    warm_ups += times;
    in_full_ = times > 1;
    const bool runs = plans_[selected_].runs && (times < 2 || plans_[selected_].runs_in_full);
    if (!runs) throw LibraryError({"fake.cpp", 1}, "running", "it does not");
  }
  Seconds estimate() override { return Seconds(plans_[selected_].seconds); }
  Series cold(std::int64_t samples, Seconds one, Seconds group_time) override {
    cold_groups.emplace_back(one, group_time);
    Series series;
    series.places = 2;
    for (std::int64_t i = 0; i < samples; ++i) {
      const double longer = i % 2 == 0 ? 0.0 : plans_[selected_].place;
      series.seconds.push_back(next() * (1.0 + longer));
    }
    clock_.pass(flush * static_cast<double>(samples));
    series.sm_clock_mhz = clock_mhz();
    series.hold_timed_out = hold_times_out;
    return series;
  }
  Series hot(std::int64_t groups, std::int64_t executions) override {
    executions_of_group = executions;
    Series series;
    series.seconds.assign(static_cast<std::size_t>(groups), plans_[selected_].seconds * 0.8);
    return series;
  }
  Verdict verify() override {
    ++verified;
    return plans_[selected_].verdict;
  }
  KernelFacts kernels() override { return {1, 0}; }
  void recover() override {
    ++recovered;
    if (plans_[selected_].lethal) throw DeviceLost("a kernel failed");
  }

  Seconds flush = microseconds(50);  // host time of a sample
  bool hold_times_out = false;
  std::deque<double> clocks_mhz;  // of the next series; then `steady_mhz`
  double steady_mhz = 1900;
  std::int64_t warm_ups = 0, verified = 0, recovered = 0, executions_of_group = 0;
  std::int64_t samples_taken = 0;
  std::vector<std::pair<Seconds, Seconds>> cold_groups;  // of each series: one execution, the group

 private:
  double next() {
    const FakePlan& plan = plans_[selected_];
    // A Weyl sequence: evenly spread, the same each time.
    position_ = position_ + 0.6180339887498949;
    position_ -= static_cast<double>(static_cast<std::int64_t>(position_));
    const double drifted = 1.0 + plan.drift * static_cast<double>(samples_taken++);
    const double loaded = in_full_ ? 1.0 + plan.loaded : 1.0;
    return plan.seconds * drifted * loaded * (1.0 + plan.spread * (2.0 * position_ - 1.0));
  }
  double clock_mhz() {
    if (clocks_mhz.empty()) return steady_mhz;
    const double mhz = clocks_mhz.front();
    clocks_mhz.pop_front();
    return mhz;
  }

  std::vector<FakePlan> plans_;
  FakeClock& clock_;
  std::size_t selected_ = 0;
  double position_ = 0;
  bool in_full_ = false;  // as the last warm-up says
};

}  // namespace stepcast::testing
