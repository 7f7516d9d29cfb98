// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/registration.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "bench/share.hpp"
#include "core/error.hpp"
#include "layers/cost.hpp"

namespace stepcast {
namespace {

benchmark::Counter with_prefix(double value) {
  return benchmark::Counter(value, benchmark::Counter::kDefaults, benchmark::Counter::kIs1000);
}

void count(benchmark::State& state, const Case& chosen, const Measurement& measured,
           const std::vector<CeilingRow>& ceilings) {
  const Timing& cold = measured.best.cold;
  const Seconds time(cold.summary.median);
  Flop flop;
  Bytes bytes;
  for (const Op& op : chosen.ops) {
    const Cost work = cost(op);
    flop += work.flop;
    bytes += work.least_bytes;
  }
  state.counters["FLOP/s"] = with_prefix((flop / time).count());
  state.counters["bytes/s"] = with_prefix((bytes / time).count());
  if (const auto share = share_of_ceiling(ceilings, chosen.ops, time)) {
    state.counters["ceiling_share"] = *share;
  }
  state.counters["noise"] = cold.summary.noise;
  state.counters["sm_clock_mhz"] = cold.sm_clock_mhz;
  if (measured.best.hot) state.counters["hot_us"] = measured.best.hot->summary.median * 1e6;
  state.counters["worst_error"] = measured.best.verdict.worst;
  state.SetLabel(measured.best.facts.plan + (cold.unstable ? " (unstable)" : ""));
}

/// One benchmark's function: repetitions of it ask for further measurements.
class CaseBenchmark {
 public:
  CaseBenchmark(const Case& chosen, const std::function<Session&()>& session)
      : case_(chosen), session_(session) {}

  void operator()(benchmark::State& state) {
    Session& session = session_();
    const Measurement& measured = session.measure(case_, repetition_++);
    if (measured.status != RowStatus::ok) {
      // 1.7.1 has no SkipWithMessage; the text's first word says which it is.
      const bool lacks = measured.status == RowStatus::unsupported;
      const std::string text = (lacks ? "unsupported: " : "failed: ") + measured.reason;
      state.SkipWithError(text.c_str());
      if (measured.device_lost) throw DeviceLost(case_.name + ": " + measured.reason);
    }
    for (auto unused : state) {
      static_cast<void>(unused);
      state.SetIterationTime(measured.best.cold.summary.median);
    }
    if (measured.status == RowStatus::ok) count(state, case_, measured, session.ceilings());
  }

 private:
  const Case& case_;
  std::function<Session&()> session_;
  std::size_t repetition_ = 0;
};

}  // namespace

void register_cases(const std::vector<Case>& cases, std::function<Session&()> session) {
  for (const Case& chosen : cases) {
    // Google Benchmark copies the function for a run; the count of repetitions must not be copied.
    const auto function = std::make_shared<CaseBenchmark>(chosen, session);
    benchmark::RegisterBenchmark(chosen.name.c_str(),
                                 [function](benchmark::State& state) { (*function)(state); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
}

void add_context(const Session& session) {
  const nlohmann::json& run = session.run();
  const nlohmann::json& libraries = run.at("libraries");
  benchmark::AddCustomContext("gpu", run.at("gpu").at("name").get<std::string>());
  benchmark::AddCustomContext("cudnn", libraries.at("cudnn").get<std::string>());
  benchmark::AddCustomContext("cublaslt", libraries.at("cublaslt").get<std::string>());
  benchmark::AddCustomContext("method_version", run.at("method_version").dump());
  benchmark::AddCustomContext("time", "GPU time of one execution, cold: median of a series");
  benchmark::AddCustomContext("cpu", "host time of the whole series; says nothing of the op");
}

}  // namespace stepcast
