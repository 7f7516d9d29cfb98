// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/workload.hpp"

#include <set>
#include <utility>

#include "bench/operand_slots.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/fill.hpp"
#include "layers/cost.hpp"

namespace stepcast {
namespace {

bool is_whole(DType type) { return type == DType::int64 || type == DType::uint8; }

bool is_read(const Operand& operand) {
  return operand.role == Role::input || operand.role == Role::in_out;
}

/// The ops' operands in the arena. Streams of random bits begin far apart: an operand has fewer
/// than 2^40 elements.
std::vector<PlacedOperands> place(Arena& arena, std::span<const Op> ops, Dataflow dataflow,
                                  std::uint64_t seed) {
  const OperandSlots slots = operand_slots(ops, dataflow == Dataflow::chained);
  const std::vector<void*> memory = arena.pieces(slots.bytes);
  std::vector<PlacedOperands> places;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    PlacedOperands placed{ops[i], operands(ops[i]), {}, {}};
    for (const std::size_t slot : slots.of_op[i]) {
      placed.memory.push_back(memory[slot]);
      placed.seeds.push_back(seed + (static_cast<std::uint64_t>(slot) << 40U));
    }
    places.push_back(std::move(placed));
  }
  return places;
}

/// Fills what the ops read and makes their plans.
void add_plans(Workload& workload, const Libraries& libraries, const PlanOptions& options,
               cudaStream_t stream) {
  std::set<void*> filled;
  for (const PlacedOperands& placed : workload.places) {
    for (std::size_t i = 0; i < placed.operands.size(); ++i) {
      if (!is_read(placed.operands[i]) || !filled.insert(placed.memory[i]).second) continue;
      fill_operand(placed.operands[i], placed.memory[i], placed.seeds[i], stream);
    }
    PlanOrReason made = make_plan(libraries, placed.op, placed.memory, options);
    if (!made.plan) {
      workload.status = RowStatus::unsupported;
      workload.reason = made.reason;
      return;
    }
    made.plan->prepare(stream);
    workload.plans.push_back(std::move(made.plan));
    workload.launches += kernels(placed.op);
  }
}

}  // namespace

void Workload::enqueue(cudaStream_t stream) {
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

Workload make_workload(const Libraries& libraries, Arena& arena, std::span<const Op> ops,
                       const PlanOptions& options, std::uint64_t seed, cudaStream_t stream,
                       Dataflow dataflow) {
  Workload workload;
  try {
    workload.places = place(arena, ops, dataflow, seed);
    add_plans(workload, libraries, options, stream);
  } catch (const MemoryShortage& shortage) {
    workload.status = shortage.ever_fits ? RowStatus::failed : RowStatus::unsupported;
    workload.reason = shortage.reason;
  }
  check(cudaStreamSynchronize(stream), "filling the operands");
  return workload;
}

}  // namespace stepcast
