// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/attention_cudnn.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "layers/plans/cudnn_graph.hpp"

namespace stepcast {
namespace {

/// Sizes are b h s d for cuDNN; the layout says how they lie in memory.
GraphTensor tensor(const Op& op, const char* name, void* memory) {
  const auto& a = std::get<AttentionShape>(op.shape);
  GraphTensor result{name, op.in, {a.b, a.h, a.s, a.d}, {}, memory};
  if (op.layout == Layout::sbhd) {
    result.strides = {a.h * a.d, a.d, a.b * a.h * a.d, 1};
  } else {
    result.strides = {a.s * a.h * a.d, a.d, a.h * a.d, 1};
  }
  return result;
}

GraphTensor stats_tensor(const Op& op, void* memory) {
  const auto& a = std::get<AttentionShape>(op.shape);
  return {"stats", DType::fp32, {a.b, a.h, a.s, 1}, {a.h * a.s, a.s, 1, 1}, memory};
}

/// A backward pass that can fill o and stats by the forward pass that belongs to it.
class BackwardPlan final : public Plan {
 public:
  BackwardPlan(std::unique_ptr<Plan> forward, std::unique_ptr<Plan> backward)
      : forward_(std::move(forward)), backward_(std::move(backward)) {}

  [[nodiscard]] std::string name() const override { return backward_->name(); }
  [[nodiscard]] std::string notes() const override { return backward_->notes(); }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return backward_->workspace_bytes();
  }
  void bind(std::span<void* const> buffers, std::size_t place) override {
    std::vector<void*> of_forward(buffers.begin(), buffers.begin() + 6);
    of_forward.erase(of_forward.begin() + 3);  // do
    forward_->bind(of_forward, place);
    backward_->bind(buffers, place);  // q k v do o stats dq dk dv: the order of its tensors
  }
  void prepare(cudaStream_t stream) override { forward_->enqueue(stream); }
  void enqueue(cudaStream_t stream) override { backward_->enqueue(stream); }
  [[nodiscard]] std::size_t candidates() const override { return backward_->candidates(); }
  bool select(std::size_t rank) override { return backward_->select(rank); }
  [[nodiscard]] std::size_t selected() const override { return backward_->selected(); }

 private:
  std::unique_ptr<Plan> forward_;
  std::unique_ptr<Plan> backward_;
};

std::string refusal(const Op& op) {
  if (op.in != DType::fp16 && op.in != DType::bf16) {
    return "cuDNN's fused attention takes fp16 and bf16, not " + std::string(name(op.in));
  }
  const std::int64_t d = std::get<AttentionShape>(op.shape).d;
  if (d > 128 || d % 8 != 0) {
    return "cuDNN's fused attention takes a head dimension that is a multiple of 8 up to 128, "
           "not " +
           std::to_string(d);
  }
  return "";
}

}  // namespace

PlanOrReason make_attention_cudnn(const Libraries& libraries, const Op& op,
                                  std::span<void* const> buffers, const PlanOptions& options) {
  if (std::string reason = refusal(op); !reason.empty()) return {nullptr, std::move(reason)};
  const double scale = 1.0 / std::sqrt(static_cast<double>(std::get<AttentionShape>(op.shape).d));
  const bool backward = op.family == Family::attention_bwd;
  const GraphTensor q = tensor(op, "q", buffers[0]);
  const GraphTensor k = tensor(op, "k", buffers[1]);
  const GraphTensor v = tensor(op, "v", buffers[2]);
  const GraphTensor o = tensor(op, "o", buffers[backward ? 4 : 3]);
  const GraphTensor stats = stats_tensor(op, buffers[backward ? 5 : 4]);
  PlanOrReason forward =
      make_attention_forward_graph(libraries, {q, k, v, o, stats}, scale, options);
  if (!backward || !forward.plan) return forward;
  PlanOrReason gradient = make_attention_backward_graph(
      libraries,
      {q, k, v, tensor(op, "do", buffers[3]), o, stats, tensor(op, "dq", buffers[6]),
       tensor(op, "dk", buffers[7]), tensor(op, "dv", buffers[8])},
      scale, options);
  if (!gradient.plan) return gradient;
  return {std::make_unique<BackwardPlan>(std::move(forward.plan), std::move(gradient.plan)), ""};
}

}  // namespace stepcast
