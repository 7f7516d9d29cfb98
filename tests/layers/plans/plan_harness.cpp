// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/plan_harness.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/check.hpp"
#include "layers/operands.hpp"
#include "layers/plans/plan.hpp"
#include "tests/layers/plans/comparison.hpp"
#include "tests/layers/plans/device_tensors.hpp"
#include "tests/reference/fill.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kSeed = 20260;

/// Empty, or why there is no GPU to run on.
std::string missing_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return "";
  cudaGetLastError();
  return std::string("no GPU: ") + cudaGetErrorString(status);
}

bool written(const Operand& operand) {
  return operand.role == Role::output || operand.role == Role::in_out;
}

Tolerance tolerance(const Op& op, const Operand& operand, double factor) {
  const OpClass op_class = stepcast::op_class(op.family);
  if (operand.type == DType::int64 || operand.type == DType::uint8) return {};
  const bool products = op_class == OpClass::conv || op_class == OpClass::gemm;
  DType type = operand.type;
  if (op_class == OpClass::attention || (products && op.in == DType::tf32)) type = op.in;
  if (type == DType::fp32) {
    // Winograd and FFT engines lose three more bits than a sum of products does.
    factor *= op_class == OpClass::conv ? 64 : 8;
  }
  // Means of data in [-1, 1] are near zero, their rounding errors are not.
  const bool mean = operand.name == "save_mean" || operand.name == "mean";
  return {epsilon(type), factor, mean ? 1.0 : 0.0};
}

/// One op's operands on both sides.
class Comparison {
 public:
  Comparison(const Op& op, const CheckOptions& options)
      : op_(op), options_(options), device_(operands(op)), inputs_(filled(op, kSeed)) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (double& value : inputs_[i]) value = rounded(value, operand(i).type);
      if (operand(i).role == Role::input) device_.upload(i, inputs_[i]);
    }
    reset();
    derive(op_, inputs_);
    wanted_ = inputs_;
    options_.judge(op_, wanted_);
  }

  [[nodiscard]] std::span<void* const> buffers() const { return device_.buffers(); }

  /// Outputs full of NaN, in_out operands as they were before the op.
  void reset() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (operand(i).role == Role::output) device_.poison(i);
      if (operand(i).role == Role::in_out) device_.upload(i, inputs_[i]);
    }
  }

  void expect_derived() const {
    expect([](const Operand& o) { return o.role == Role::derived; });
  }
  void expect_written() const { expect(written); }

 private:
  [[nodiscard]] const Operand& operand(std::size_t place) const {
    return device_.operands()[place];
  }

  template <typename Chosen>
  void expect(Chosen chosen) const {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (!chosen(operand(i))) continue;
      const std::string error =
          difference(device_.download(i), wanted_[i], tolerance(op_, operand(i), options_.factor));
      EXPECT_TRUE(error.empty()) << operand(i).name << ": " << error;
    }
  }

  const Op& op_;
  const CheckOptions& options_;
  DeviceTensors device_;
  Tensors inputs_;
  Tensors wanted_;
};

void check_candidates(Plan& plan, Comparison& comparison, cudaStream_t stream,
                      std::size_t most_candidates) {
  std::size_t run = 0;
  for (std::size_t rank = 0; rank < plan.candidates() && rank < most_candidates; ++rank) {
    if (!plan.select(rank)) continue;
    ++run;
    SCOPED_TRACE("candidate " + std::to_string(rank) + ", " + plan.name());
    EXPECT_EQ(plan.selected(), rank);
    comparison.reset();
    plan.enqueue(stream);
    check(cudaStreamSynchronize(stream), "running " + plan.name());
    comparison.expect_written();
  }
  EXPECT_GT(run, 0U) << "no candidate could be selected";
}

}  // namespace

void PlanTest::SetUp() {
  const std::string missing = missing_gpu();
  if (missing.empty()) return;
  const char* required = std::getenv("STEPCAST_REQUIRE_GPU");
  if (required != nullptr && std::string_view(required) == "1") FAIL() << missing;
  GTEST_SKIP() << missing;
}

const Libraries& test_libraries() {
  static const Libraries libraries = make_libraries();
  return libraries;
}

void check_plan(const Op& op, const CheckOptions& options) {
  SCOPED_TRACE(key(op));
  const Libraries& libraries = test_libraries();
  Comparison comparison(op, options);
  const PlanOrReason made = make_plan(libraries, op, comparison.buffers());
  if (!made.plan) {
    EXPECT_FALSE(made.reason.empty()) << "neither a plan nor a reason";
    if (libraries.device.major >= options.required_from) {
      ADD_FAILURE() << made.reason;
    } else {
      GTEST_SKIP() << made.reason;
    }
    return;
  }
  EXPECT_TRUE(made.reason.empty()) << made.reason;
  const Stream stream = make_stream();
  made.plan->prepare(stream.get());
  check(cudaStreamSynchronize(stream.get()), "preparing " + made.plan->name());
  comparison.expect_derived();
  check_candidates(*made.plan, comparison, stream.get(),
                   std::max<std::size_t>(options.most_candidates, 1));
}

void check_plan(std::string_view key, const CheckOptions& options) {
  check_plan(parse(key), options);
}

}  // namespace stepcast
