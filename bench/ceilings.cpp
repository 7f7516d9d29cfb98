// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/ceilings.hpp"

#include <array>
#include <chrono>
#include <optional>

#include "bench/workload.hpp"
#include "core/cuda/check.hpp"
#include "layers/cost.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kCopyElements = std::int64_t{1} << 28;  // 1 GiB of fp32

Op copy_op() {
  Op op;
  op.family = Family::copy;
  op.provider = Provider::cuda;
  op.shape = ElementsShape{kCopyElements};
  return op;
}

Op matrix_op(DType type) {
  const std::int64_t size = type == DType::fp32 ? 4096 : 8192;
  Op op;
  op.family = Family::gemm_fprop;
  op.provider = Provider::cublaslt;
  op.in = op.out = type;
  op.layout = Layout::row;
  op.shape = GemmShape{size, size, size};
  return op;
}

/// A workload of one op, and the timing of its fastest plan; nothing where the GPU has none.
struct Timed {
  Workload workload;
  Timing timing;
};

class CeilingSeries {
 public:
  CeilingSeries(const CeilingBench& bench, const std::string& run) : bench_(bench), run_(run) {}

  std::vector<CeilingRow> measure() {
    warm_device();
    add_copy();
    for (const DType type : {DType::fp16, DType::bf16, DType::tf32, DType::fp32}) {
      add_matrix_rate(type);
    }
    add_event_floor();
    return std::move(rows_);
  }

 private:
  std::optional<Timed> time(const Op& op) {
    Timed timed{make_workload(bench_.libraries, bench_.arena, std::array{op}, bench_.plans,
                              bench_.protocol.seed, bench_.stopwatch.stream()),
                {}};
    if (timed.workload.status != RowStatus::ok) return std::nullopt;
    Plan& plan = *timed.workload.plans.front();
    const std::int64_t launches = timed.workload.launches;
    const auto limit = static_cast<std::int64_t>(bench_.plans.max_candidates);
    const Search search = bench_.sampler.search(plan, limit, launches);
    if (!search.best || !plan.select(static_cast<std::size_t>(search.best->rank))) {
      return std::nullopt;
    }
    timed.timing =
        bench_.sampler.cold([&plan](cudaStream_t stream) { plan.enqueue(stream); }, launches);
    return timed;
  }

  /// Keeps the memory and the clocks busy until they have settled.
  void warm_device() {
    const std::vector<void*> memory = copy_buffers();
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(bench_.protocol.device_warm_up.count());
    while (std::chrono::steady_clock::now() < end) {
      bench_.stopwatch.warm_up([&](cudaStream_t stream) { copy(memory, stream); }, 10);
    }
  }

  void add_copy() {
    const double bytes = 2.0 * static_cast<double>(kCopyElements) * 4.0;  // read and written
    const std::optional<Timed> ours = time(copy_op());
    const std::vector<void*> memory = copy_buffers();  // the same, filled where our kernel ran
    Timing best = bench_.sampler.cold([&](cudaStream_t stream) { copy(memory, stream); }, 1);
    std::string method = "cudaMemcpyAsync of 1 GiB on the device";
    if (ours && ours->timing.summary.median < best.summary.median) {
      best = ours->timing;
      method = key(copy_op());
    }
    add("copy_bandwidth", "fp32", "bytes_per_s", bytes / best.summary.median, best, method);
  }

  void add_matrix_rate(DType type) {
    const Op op = matrix_op(type);
    const std::optional<Timed> timed = time(op);
    if (!timed) return;
    add("matrix_rate", std::string(name(type)), "flop_per_s",
        cost(op).flop.count() / timed->timing.summary.median, timed->timing,
        key(op) + ", " + timed->workload.plans.front()->name());
  }

  void add_event_floor() {
    const Timing nothing = bench_.sampler.cold([](cudaStream_t) {}, 0);
    add("event_floor", "", "s", nothing.summary.median, nothing, "two events, nothing between");
  }

  void add(const std::string& name, const std::string& dtype, const std::string& unit, double value,
           const Timing& timing, const std::string& method) {
    rows_.push_back({name, dtype, unit, value, timing.summary.noise, run_, method});
  }

  std::vector<void*> copy_buffers() {
    const auto bytes = static_cast<std::size_t>(kCopyElements) * 4;
    return bench_.arena.pieces(std::array{bytes, bytes});
  }

  static void copy(const std::vector<void*>& memory, cudaStream_t stream) {
    check(cudaMemcpyAsync(memory[1], memory[0], static_cast<std::size_t>(kCopyElements) * 4,
                          cudaMemcpyDeviceToDevice, stream),
          "copying on the device");
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
