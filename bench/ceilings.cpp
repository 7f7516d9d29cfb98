// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/bandwidth.hpp"
#include "bench/gpu_subject.hpp"
#include "bench/plan_search.hpp"
#include "bench/workload.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/fill.hpp"
#include "layers/cost.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kTensorBytes = std::int64_t{1} << 30;  // of each tensor of a mix
constexpr std::size_t kMostTensors = 5;

Op matrix_op(DType type) {
  const std::int64_t size = type == DType::fp32 ? 4096 : 8192;
  Op op;
  op.family = Family::gemm_fprop;
  op.provider = Provider::cublaslt;
  op.in = type;
  op.out = type == DType::e4m3 ? DType::bf16 : type;
  op.layout = Layout::row;
  op.shape = GemmShape{size, size, size};
  return op;
}

/// Any work, as a subject with one candidate and nothing to verify.
class WorkSubject final : public Subject {
 public:
  WorkSubject(Stopwatch& stopwatch, Work work, std::int64_t launches)
      : stopwatch_(stopwatch), work_(std::move(work)), launches_(launches) {}

  [[nodiscard]] PlanFacts facts() const override { return {}; }
  void warm_up(std::int64_t times) override { stopwatch_.warm_up(work_, times); }
  Seconds estimate() override { return {}; }
  Series cold(std::int64_t samples, Seconds /*one*/, Seconds /*group_time*/) override {
    return stopwatch_.cold(work_, samples, launches_);
  }
  Series hot(std::int64_t groups, std::int64_t executions) override {
    return stopwatch_.hot(std::span(&work_, 1), groups, executions, launches_);
  }
  Verdict verify() override { return {}; }
  KernelFacts kernels() override { return {}; }
  void recover() override { check(settle_device(), "going on after a failure"); }

 private:
  Stopwatch& stopwatch_;
  Work work_;
  std::int64_t launches_;
};

class CeilingSeries {
 public:
  CeilingSeries(const CeilingBench& bench, const std::string& run) : bench_(bench), run_(run) {}

  std::vector<CeilingRow> measure() {
    add_bandwidths();
    for (const DType type : {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::e4m3}) {
      add_matrix_rate(type);
    }
    add_event_floor();
    bench_.clock.sleep(bench_.protocol.ceiling_rest);
    return std::move(rows_);
  }

 private:
  /// Back to back, as the ops are timed; tensors of 1 GiB push themselves out of the cache.
  Timing time(const Work& work, std::int64_t launches) {
    WorkSubject subject(bench_.stopwatch, work, launches);
    return bench_.sampler.hot(subject, bench_.protocol.group_time);
  }

  /// On the stream: as a node of a graph a copy goes through an engine of 2.7 TB/s on an H200.
  Timing copy_time(const Work& copy) {
    WorkSubject subject(bench_.stopwatch, copy, 1);
    return bench_.sampler.cold(subject);
  }

  /// Keeps the memory and the clocks busy until they have settled.
  void warm_device(const Work& work) {
    const Seconds end = bench_.clock.now() + bench_.protocol.device_warm_up;
    while (bench_.clock.now() < end) bench_.stopwatch.warm_up(work, 10);
  }

  void add_bandwidths() {
    std::array<std::size_t, kMostTensors> sizes{};
    sizes.fill(static_cast<std::size_t>(kTensorBytes));
    const std::vector<void*> memory = bench_.arena.pieces(sizes);
    cudaStream_t stream = bench_.stopwatch.stream();
    for (void* tensor : memory) {
      fill_uniform(tensor, DType::fp32, kTensorBytes / 4, -1.0F, 1.0F, bench_.protocol.seed,
                   stream);
    }
    const Work copy = [&memory](cudaStream_t on) {
      check(cudaMemcpyAsync(memory[1], memory[0], static_cast<std::size_t>(kTensorBytes),
                            cudaMemcpyDeviceToDevice, on),
            "copying on the device");
    };
    warm_device(copy);
    add_bandwidth("copy_bandwidth", 2, copy_time(copy), "cudaMemcpyAsync of 1 GiB on the device");
    for (const Mix& mix : kMixes) {
      add_mix(mix, memory);
    }
  }

  /// The fastest of the unrolls.
  void add_mix(const Mix& mix, std::span<void* const> memory) {
    Timing best;
    int best_unroll = 0;
    for (const int unroll : kUnrolls) {
      const Timing timing =
          time([&](cudaStream_t on) { stream_mix(mix, unroll, memory, kTensorBytes, on); }, 1);
      if (best_unroll != 0 && timing.summary.median >= best.summary.median) continue;
      best = timing;
      best_unroll = unroll;
    }
    add_bandwidth(
        fmt::format("bandwidth_r{}w{}", mix.reads, mix.writes), mix.reads + mix.writes, best,
        fmt::format("1 GiB from or to each tensor, {} accesses of 16 bytes a thread", best_unroll));
  }

  void add_bandwidth(const std::string& name, int tensors, const Timing& timing,
                     const std::string& method) {
    const double bytes = static_cast<double>(tensors) * static_cast<double>(kTensorBytes);
    add(name, "", "bytes_per_s", bytes / timing.summary.median, timing, method);
  }

  void add_matrix_rate(DType type) {
    const Op op = matrix_op(type);
    Workload workload =
        make_workload(bench_.libraries, bench_.arena, std::array{op},
                      workload_options(bench_.protocol, bench_.plans, bench_.libraries.device),
                      bench_.stopwatch.stream());
    if (workload.status != RowStatus::ok) return;
    GpuSubject subject(workload, bench_.stopwatch, bench_.scratch, bench_.protocol);
    bench_.clock.sleep(bench_.protocol.ceiling_rest);
    const Search search = search_plans(subject, bench_.sampler);
    if (search.best.empty()) return;
    if (!subject.select(static_cast<std::size_t>(search.best.front().rank))) return;
    bench_.clock.sleep(bench_.protocol.ceiling_rest);
    const Timing burst = bench_.sampler.cold(subject);
    const std::string method = key(op) + ", " + subject.facts().plan;
    const double flop = cost(op).flop.count();
    const std::string dtype(name(type));
    add("matrix_rate", dtype, "flop_per_s", flop / burst.summary.median, burst, method);
    add("matrix_rate_sustained", dtype, "flop_per_s", flop / sustained(subject), burst,
        method + ", the last 20 executions of a second of load, 0.2 s with --quick");
  }

  /// The time of one execution at the end of a second back to back.
  double sustained(Subject& subject) {
    constexpr std::int64_t kAtOnce = 20;
    const Seconds end = bench_.clock.now() + Seconds(bench_.protocol.name == "quick" ? 0.2 : 1.0);
    Series last;
    do {
      last = subject.hot(1, kAtOnce);
    } while (bench_.clock.now() < end);
    return last.seconds.back();
  }

  void add_event_floor() {
    const Timing nothing = time([](cudaStream_t) {}, 0);
    add("event_floor", "", "s", nothing.summary.median, nothing,
        "two events of a CUDA graph, nothing between");
  }

  void add(const std::string& name, const std::string& dtype, const std::string& unit, double value,
           const Timing& timing, const std::string& method) {
    rows_.push_back({name, dtype, unit, value, timing.summary.noise, run_, method});
  }

  const CeilingBench& bench_;
  const std::string& run_;
  std::vector<CeilingRow> rows_;
};

}  // namespace

std::vector<CeilingRow> measure_ceilings(const CeilingBench& bench, const std::string& run) {
  return CeilingSeries(bench, run).measure();
}

}  // namespace stepcast
