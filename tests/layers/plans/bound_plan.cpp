// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/bound_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/cuda/check.hpp"
#include "core/cuda/work_graph.hpp"
#include "layers/operands.hpp"
#include "layers/plans/plan.hpp"
#include "tests/layers/plans/comparison.hpp"
#include "tests/layers/plans/device_tensors.hpp"
#include "tests/layers/plans/plan_harness.hpp"
#include "tests/reference/fill.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kOneSeed = 1;
constexpr std::uint64_t kOtherSeed = 2;

bool written(const Operand& operand) {
  return operand.role == Role::output || operand.role == Role::in_out;
}

/// Some of cuDNN's engines for gradients add up with atomics, in no fixed order.
bool repeats_exactly(const Op& op) {
  return op.provider != Provider::cudnn ||
         (op.family != Family::conv_dgrad && op.family != Family::conv_wgrad &&
          op.family != Family::attention_bwd);
}

/// One op's operands on the GPU.
class BufferSet {
 public:
  BufferSet(const Op& op, std::uint64_t seed)
      : exact_(repeats_exactly(op)), inputs_(filled(op, seed)), device_(operands(op)) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (double& value : inputs_[i]) value = rounded(value, device_.operands()[i].type);
      if (device_.operands()[i].role == Role::input) device_.upload(i, inputs_[i]);
    }
    reset();
  }

  [[nodiscard]] std::span<void* const> buffers() const { return device_.buffers(); }

  /// Outputs full of NaN, in_out operands as they were before the op.
  void reset() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (device_.operands()[i].role == Role::output) device_.poison(i);
      if (device_.operands()[i].role == Role::in_out) device_.upload(i, inputs_[i]);
    }
  }

  [[nodiscard]] Tensors contents() const {
    Tensors all;
    for (std::size_t i = 0; i < inputs_.size(); ++i) all.push_back(device_.download(i));
    return all;
  }

  void expect_unchanged(const Tensors& before) const {
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    const Tensors now = contents();
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_TRUE(std::equal(now[i].begin(), now[i].end(), before[i].begin(), same))
          << device_.operands()[i].name << " of buffers that are not bound has changed";
    }
  }

  void expect_written(const Tensors& wanted) const {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Operand& operand = device_.operands()[i];
      if (!written(operand)) continue;
      const Tolerance tolerance{epsilon(operand.type), exact_ ? 0.0 : 16.0};
      const std::string error = difference(device_.download(i), wanted[i], tolerance);
      EXPECT_TRUE(error.empty()) << operand.name << ": " << error;
    }
  }

 private:
  bool exact_;
  Tensors inputs_;
  DeviceTensors device_;
};

/// What is in the set after the plan, which is bound to it, has run.
Tensors run(Plan& plan, BufferSet& set, cudaStream_t stream) {
  set.reset();
  plan.enqueue(stream);
  check(cudaStreamSynchronize(stream), "running " + plan.name());
  return set.contents();
}

void launch(const Graph& graph, cudaStream_t stream) {
  cudaGraphExec_t raw = nullptr;
  check(cudaGraphInstantiate(&raw, graph.get(), 0), "instantiating a graph");
  const GraphExec exec(raw);
  check(cudaGraphLaunch(exec.get(), stream), "launching a graph");
  check(cudaStreamSynchronize(stream), "running a graph");
}

std::unique_ptr<Plan> prepared_plan(const Op& op, BufferSet& set, cudaStream_t stream) {
  PlanOrReason made = make_plan(test_libraries(), op, set.buffers());
  EXPECT_NE(made.plan, nullptr) << made.reason;
  if (made.plan) made.plan->prepare(stream);
  return std::move(made.plan);
}

}  // namespace

void check_bound(std::string_view key) {
  SCOPED_TRACE(key);
  const Op op = parse(key);
  const Stream owner = make_stream();
  cudaStream_t stream = owner.get();
  BufferSet one(op, kOneSeed);
  BufferSet other(op, kOtherSeed);
  BufferSet same_as_other(op, kOtherSeed);
  const auto plan = prepared_plan(op, one, stream);
  const auto fresh = prepared_plan(op, same_as_other, stream);
  if (!plan || !fresh) return;
  const Tensors of_one = run(*plan, one, stream);
  const Tensors of_other = run(*fresh, same_as_other, stream);
  const std::size_t workspace = plan->workspace_bytes();

  one.reset();
  Tensors before = one.contents();
  plan->bind(other.buffers(), 1);
  plan->prepare(stream);
  run(*plan, other, stream);
  other.expect_written(of_other);
  one.expect_unchanged(before);
  EXPECT_EQ(plan->name(), fresh->name());
  EXPECT_EQ(plan->workspace_bytes(), workspace);

  EXPECT_TRUE(plan->select(plan->selected()));  // which stays where the plan is bound
  run(*plan, other, stream);
  other.expect_written(of_other);
  one.expect_unchanged(before);

  other.reset();
  before = other.contents();
  plan->bind(one.buffers(), 0);
  run(*plan, one, stream);
  one.expect_written(of_one);
  other.expect_unchanged(before);

  one.reset();
  other.reset();
  const auto around = [&](cudaStream_t captured) {
    for (const BufferSet* set : {&other, &one}) {
      plan->bind(set->buffers(), set == &other ? 1 : 0);
      plan->enqueue(captured);
    }
  };
  launch(capture(around, stream), stream);
  one.expect_written(of_one);
  other.expect_written(of_other);
}

}  // namespace stepcast
