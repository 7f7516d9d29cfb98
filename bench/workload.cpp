// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/workload.hpp"

#include "core/cuda/check.hpp"
#include "core/cuda/fill.hpp"
#include "layers/cost.hpp"
#include "layers/operands.hpp"

namespace stepcast {
namespace {

bool is_whole(DType type) { return type == DType::int64 || type == DType::uint8; }

void fill(const Operand& operand, void* memory, std::uint64_t seed, cudaStream_t stream) {
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

std::vector<std::size_t> operand_bytes(std::span<const Op> ops) {
  std::vector<std::size_t> bytes;
  for (const Op& op : ops) {
    for (const Operand& operand : operands(op)) {
      bytes.push_back(static_cast<std::size_t>(operand.count * element_bytes(operand.type)));
    }
  }
  return bytes;
}

/// Plans for ops whose operands lie in `memory`, one operand after the other.
void add_plans(Workload& workload, const Libraries& libraries, std::span<const Op> ops,
               std::span<void* const> memory, const PlanOptions& options, std::uint64_t seed,
               cudaStream_t stream) {
  std::size_t next = 0;
  for (const Op& op : ops) {
    const std::vector<Operand> tensors = operands(op);
    const auto buffers = memory.subspan(next, tensors.size());
    next += tensors.size();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const bool is_read = tensors[i].role == Role::input || tensors[i].role == Role::in_out;
      // Streams of random bits begin far apart: an operand has fewer than 2^40 elements.
      if (is_read) fill(tensors[i], buffers[i], seed + ((next + i) << 40U), stream);
    }
    PlanOrReason made = make_plan(libraries, op, buffers, options);
    if (!made.plan) {
      workload.status = RowStatus::unsupported;
      workload.reason = made.reason;
      return;
    }
    made.plan->prepare(stream);
    workload.plans.push_back(std::move(made.plan));
    workload.launches += kernels(op);
  }
}

}  // namespace

void Workload::enqueue(cudaStream_t stream) {
  for (const auto& plan : plans) plan->enqueue(stream);
}

Workload make_workload(const Libraries& libraries, Arena& arena, std::span<const Op> ops,
                       const PlanOptions& options, std::uint64_t seed, cudaStream_t stream) {
  Workload workload;
  try {
    const std::vector<void*> memory = arena.pieces(operand_bytes(ops));
    add_plans(workload, libraries, ops, memory, options, seed, stream);
  } catch (const MemoryShortage& shortage) {
    workload.status = shortage.ever_fits ? RowStatus::failed : RowStatus::unsupported;
    workload.reason = shortage.reason;
  }
  check(cudaStreamSynchronize(stream), "filling the operands");
  return workload;
}

}  // namespace stepcast
