// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_subject.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/kernel_names.hpp"
#include "core/error.hpp"
#include "layers/verify/verify.hpp"

namespace stepcast {

std::size_t GpuSubject::candidates() const {
  return is_block() ? 1 : workload_.plans.front()->candidates();
}

bool GpuSubject::select(std::size_t rank) {
  if (is_block()) return rank == 0;
  if (lethal_.contains(static_cast<std::int64_t>(rank))) return false;
  way_ = Way::unknown;
  return workload_.plans.front()->select(rank);
}

std::size_t GpuSubject::selected() const {
  return is_block() ? 0 : workload_.plans.front()->selected();
}

PlanFacts GpuSubject::facts() const {
  if (is_block()) return {std::to_string(workload_.plans.size()) + " ops", "", 0};
  const Plan& plan = *workload_.plans.front();
  return {plan.name(), plan.notes(), static_cast<std::int64_t>(plan.workspace_bytes())};
}

Work GpuSubject::work() {
  return [this](cudaStream_t stream) { workload_.enqueue(stream); };
}

void GpuSubject::warm_up(std::int64_t times) { warm_ = stopwatch_.warm_up(work(), times); }

Series GpuSubject::by_rotation(std::int64_t samples, Seconds one, Seconds group_time) {
  const std::int64_t most = std::clamp<std::int64_t>(
      protocol_.graph_nodes / std::max<std::int64_t>(1, workload_.launches), 1,
      protocol_.most_executions);
  const Rotation& rotation = workload_.rotation;
  const RotationGroup group = rotation_group(rotation, one, group_time, most);
  std::vector<NumberedWork> works;
  for (std::int64_t place = 0; place < rotation.places; ++place) {
    const std::int64_t first = place * rotation.sets;
    works.emplace_back([this, first](cudaStream_t stream, std::int64_t number) {
      workload_.enqueue(stream, first + number % workload_.rotation.sets);
    });
  }
  return stopwatch_.grouped(works, samples, group.executions, group.flush);
}

Seconds GpuSubject::estimate() {
  constexpr std::int64_t kSamples = 2;
  // The first execution after a selection may have loaded its kernels.
  if (warm_ >= protocol_.estimate_by_host)
    warm_ = std::min(warm_, stopwatch_.warm_up(work(), kSamples));
  if (warm_ >= protocol_.estimate_by_host) return warm_;
  const Series series = cold(kSamples, warm_, protocol_.estimate_time);
  return Seconds(*std::min_element(series.seconds.begin(), series.seconds.end()));
}

Series GpuSubject::cold(std::int64_t samples, Seconds one, Seconds group_time) {
  if (workload_.rotation.sets > 1 && way_ != Way::by_stream) {
    try {
      Series series = by_rotation(samples, one, group_time);
      way_ = Way::by_rotation;
      return series;
    } catch (const LibraryError&) {
      // What has been captured once fails for another reason, and samples of both ways do not mix.
      if (way_ == Way::by_rotation) throw;
      recover();
      way_ = Way::by_stream;
    }
  }
  return stopwatch_.cold(work(), samples, workload_.launches);
}

Series GpuSubject::hot(std::int64_t groups, std::int64_t executions) {
  std::vector<Work> works;
  for (std::int64_t place = 0; place < workload_.rotation.places; ++place) {
    const std::int64_t set = place * workload_.rotation.sets;
    works.emplace_back([this, set](cudaStream_t stream) { workload_.enqueue(stream, set); });
  }
  return stopwatch_.hot(works, groups, executions, workload_.launches);
}

void GpuSubject::reset(const PlacedOperands& placed) {
  constexpr int kNan = 0xFF;  // in every byte: a NaN of each real type
  for (std::size_t i = 0; i < placed.operands.size(); ++i) {
    const Operand& operand = placed.operands[i];
    if (operand.role == Role::output) {
      const auto bytes = static_cast<std::size_t>(operand.count * element_bytes(operand.type));
      check(cudaMemsetAsync(placed.memory[i], kNan, bytes, stopwatch_.stream()),
            "poisoning a result");
    } else if (operand.role == Role::in_out) {
      fill_operand(operand, placed.memory[i], placed.seeds[i], stopwatch_.stream());
    }
  }
}

std::vector<void*> GpuSubject::initial(const PlacedOperands& placed) {
  std::vector<std::size_t> bytes(placed.operands.size(), 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Operand& operand = placed.operands[i];
    if (operand.role == Role::in_out) {
      bytes[i] = static_cast<std::size_t>(operand.count * element_bytes(operand.type));
    }
  }
  std::vector<void*> memory = scratch_.pieces(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) {
      memory[i] = nullptr;
    } else {
      fill_operand(placed.operands[i], memory[i], placed.seeds[i], stopwatch_.stream());
    }
  }
  return memory;
}

Verdict GpuSubject::verify() {
  try {
    return compare();
  } catch (const MemoryShortage& shortage) {
    throw LibraryError(SourceLocation::current(), "verifying", shortage.reason);
  }
}

Verdict GpuSubject::compare() {
  const PlacedOperands& placed = workload_.places.front();
  const std::vector<void*> before = initial(placed);
  reset(placed);
  stopwatch_.warm_up(work(), 1);
  return stepcast::verify(placed.op, placed.memory, before, stopwatch_.stream());
}

KernelFacts GpuSubject::kernels() {
  const KernelCensus found = census(work(), stopwatch_.stream());
  KernelFacts facts;
  facts.kernels = static_cast<std::int64_t>(found.kernels.size());
  facts.conversion_share = found.conversion_share;
  return facts;
}

void GpuSubject::recover() {
  const cudaError_t status = settle_device();
  if (status != cudaSuccess) throw DeviceLost(cudaGetErrorString(status));
}

Seconds SteadyClock::now() {
  return Seconds(
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void SteadyClock::sleep(Seconds time) {
  std::this_thread::sleep_for(std::chrono::duration<double>(time.count()));
}

}  // namespace stepcast
