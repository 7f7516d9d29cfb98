// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/workload.hpp"

#include <set>
#include <utility>

#include "bench/operand_slots.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/fill.hpp"
#include "core/cuda/l2_flush.hpp"
#include "layers/cost.hpp"

namespace stepcast {
namespace {

bool is_whole(DType type) { return type == DType::int64 || type == DType::uint8; }

bool is_read(const Operand& operand) {
  return operand.role == Role::input || operand.role == Role::in_out;
}

constexpr std::size_t kAligned = 256;

std::size_t footprint(const OperandSlots& slots) {
  std::size_t bytes = 0;
  for (const std::size_t slot : slots.bytes) bytes += (slot + kAligned - 1) / kAligned * kAligned;
  return bytes;
}

}  // namespace

class WorkloadMaker {
 public:
  WorkloadMaker(const Libraries& libraries, Arena& arena, std::span<const Op> ops,
                const WorkloadOptions& options, cudaStream_t stream)
      : libraries_(libraries),
        ops_(ops),
        options_(options),
        stream_(stream),
        available_(static_cast<double>(arena.available())) {
    slots_ = operand_slots(ops, options.dataflow == Dataflow::chained);
    workload_.rotation = rotation(Bytes(static_cast<double>(footprint(slots_))));
    memory_ = arena.pieces(sizes(all_sets()));
  }

  Workload make() {
    place();
    if (!add_plans()) return std::move(workload_);
    copy_sets();
    // What a plan keeps for a set it makes now, not while executions are captured.
    for (std::int64_t set = all_sets(); set-- > 0;) {
      workload_.bind(set);
      for (const auto& plan : workload_.plans) plan->prepare(stream_);
    }
    return std::move(workload_);
  }

 private:
  /// One place or one set where more would leave too little memory for workspaces and references.
  [[nodiscard]] Rotation rotation(Bytes footprint) const {
    const double memory = options_.most_memory * available_ / footprint.count();
    const auto fits = [&](std::int64_t sets) { return static_cast<double>(sets) <= memory; };
    Rotation rotation{1, 1, footprint, options_.flush};
    if (options_.most_sets < 2) return rotation;
    const std::int64_t sets = rotation_sets(footprint, options_.flush, options_.most_sets);
    if (fits(sets)) rotation.sets = sets;
    if (fits(2 * sets)) rotation.places = 2;
    return rotation;
  }

  [[nodiscard]] std::int64_t all_sets() const {
    return workload_.rotation.sets * workload_.rotation.places;
  }

  [[nodiscard]] std::vector<std::size_t> sizes(std::int64_t sets) const {
    std::vector<std::size_t> sizes;
    sizes.reserve(slots_.bytes.size() * static_cast<std::size_t>(sets));
    for (std::int64_t set = 0; set < sets; ++set) {
      sizes.insert(sizes.end(), slots_.bytes.begin(), slots_.bytes.end());
    }
    return sizes;
  }

  [[nodiscard]] void* memory(std::int64_t set, std::size_t slot) const {
    return memory_[static_cast<std::size_t>(set) * slots_.bytes.size() + slot];
  }

  /// Streams of random bits begin far apart: an operand has fewer than 2^40 elements.
  void place() {
    for (std::int64_t set = 0; set < all_sets(); ++set) {
      Workload::Memory& of_ops = workload_.sets_.emplace_back();
      for (const auto& slots : slots_.of_op) {
        std::vector<void*>& operands = of_ops.emplace_back();
        operands.reserve(slots.size());
        for (const std::size_t slot : slots) operands.push_back(memory(set, slot));
      }
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      PlacedOperands placed{ops_[i], operands(ops_[i]), workload_.sets_.front()[i], {}};
      for (const std::size_t slot : slots_.of_op[i]) {
        placed.seeds.push_back(options_.seed + (static_cast<std::uint64_t>(slot) << 40U));
      }
      workload_.places.push_back(std::move(placed));
    }
  }

  /// Fills what the ops read and makes their plans; false if there is none for one of them.
  bool add_plans() {
    std::set<void*> filled;
    for (const PlacedOperands& placed : workload_.places) {
      for (std::size_t i = 0; i < placed.operands.size(); ++i) {
        if (!is_read(placed.operands[i]) || !filled.insert(placed.memory[i]).second) continue;
        fill_operand(placed.operands[i], placed.memory[i], placed.seeds[i], stream_);
      }
      PlanOrReason made = make_plan(libraries_, placed.op, placed.memory, options_.plans);
      if (!made.plan) {
        workload_.status = RowStatus::unsupported;
        workload_.reason = made.reason;
        return false;
      }
      workload_.plans.push_back(std::move(made.plan));
      workload_.launches += kernels(placed.op);
    }
    return true;
  }

  void copy_sets() {
    for (std::int64_t set = 1; set < all_sets(); ++set) {
      for (std::size_t slot = 0; slot < slots_.bytes.size(); ++slot) {
        check(cudaMemcpyAsync(memory(set, slot), memory(0, slot), slots_.bytes[slot],
                              cudaMemcpyDeviceToDevice, stream_),
              "copying a set of operands");
      }
    }
  }

  const Libraries& libraries_;
  std::span<const Op> ops_;
  const WorkloadOptions& options_;
  cudaStream_t stream_;
  double available_;  // bytes of device memory
  OperandSlots slots_;
  std::vector<void*> memory_;
  Workload workload_;
};

void Workload::bind(std::int64_t set) {
  const auto place = static_cast<std::size_t>(set / rotation.sets);
  bound_ = -1;  // a plan that cannot be bound leaves the others where they are then
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i]->bind(sets_[static_cast<std::size_t>(set)][i], place);
  }
  bound_ = set;
}

void Workload::enqueue(cudaStream_t stream, std::int64_t set) {
  if (set != bound_) bind(set);
  for (const auto& plan : plans) plan->enqueue(stream);
}

void fill_operand(const Operand& operand, void* memory, std::uint64_t seed, cudaStream_t stream) {
  switch (operand.fill) {
    case Fill::label:
      return fill_labels(memory, operand.type, operand.count, operand.limit, seed, stream);
    case Fill::zero:
      return fill_zero(memory, operand.type, operand.count, stream);
    case Fill::uniform:
    case Fill::positive:
      break;
  }
  // Counters have no fractions; they start at zero.
  if (is_whole(operand.type)) return fill_zero(memory, operand.type, operand.count, stream);
  const bool positive = operand.fill == Fill::positive;
  fill_uniform(memory, operand.type, operand.count, positive ? 0.5F : -1.0F, positive ? 1.5F : 1.0F,
               seed, stream);
}

WorkloadOptions workload_options(const Protocol& protocol, const PlanOptions& plans,
                                 const cudaDeviceProp& device) {
  return {plans, protocol.seed, l2_bytes(device) * protocol.flush_l2, protocol.most_sets,
          protocol.most_memory};
}

Workload make_workload(const Libraries& libraries, Arena& arena, std::span<const Op> ops,
                       const WorkloadOptions& options, cudaStream_t stream) {
  Workload workload;
  try {
    workload = WorkloadMaker(libraries, arena, ops, options, stream).make();
  } catch (const MemoryShortage& shortage) {
    workload.status = shortage.ever_fits ? RowStatus::failed : RowStatus::unsupported;
    workload.reason = shortage.reason;
  }
  check(cudaStreamSynchronize(stream), "filling the operands");
  return workload;
}

}  // namespace stepcast
