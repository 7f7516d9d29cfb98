// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/attention_cublaslt.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "core/cuda/device_buffer.hpp"
#include "layers/plans/buffer_sets.hpp"
#include "layers/plans/unfused_attention.hpp"

namespace stepcast {
namespace {

/// S = scale Q K^T, P = softmax(S), O = P V.
class UnfusedForward final : public UnfusedAttention {
 public:
  /// `keeps`: the probabilities of each set of buffers are kept, for a backward pass.
  UnfusedForward(const Libraries& libraries, const Op& op, std::span<void* const> buffers,
                 const PlanOptions& options, bool keeps = false)
      : UnfusedAttention(libraries, op, options), keeps_(keeps) {
    bind(buffers, 0);
  }

  // q k v -> o stats
  void bind(std::span<void* const> buffers, std::size_t place) final {
    workspace_.move_to(place);
    const auto owner = keeps_ ? buffers : std::span<void* const>();
    scores_ = score_sets_.at(owner, [&] { return DeviceBuffer<std::byte>(scores_bytes_); }).data();
    stats_ = buffers[4];
    const RowMajor s = walk_.scores(scores_);
    bind_products(std::array{
        problem(walk_.tokens(buffers[0]), false, walk_.tokens(buffers[1]), true, s, scale_),
        problem(s, false, walk_.tokens(buffers[2]), false, walk_.tokens(buffers[3]), 1)});
  }

  void enqueue(cudaStream_t stream) override {
    run(0, stream);
    softmax(scores_, stats_, stream);
    run(1, stream);
  }

  [[nodiscard]] void* probabilities() const { return scores_; }

 private:
  [[nodiscard]] std::size_t score_buffers() const override { return 1; }

  bool keeps_;
  BufferSets<DeviceBuffer<std::byte>> score_sets_;
  void* scores_ = nullptr;
  void* stats_ = nullptr;
};

/// dV = P^T dO, dP = dO V^T, dS = P (dP - rowsum(P dP)), dQ = scale dS K, dK = scale dS^T Q.
/// P stays from the forward pass, as a framework keeps it; prepare() makes it.
class UnfusedBackward final : public UnfusedAttention {
 public:
  UnfusedBackward(const Libraries& libraries, const Op& op, std::span<void* const> buffers,
                  const PlanOptions& options)
      : UnfusedAttention(libraries, op, options),
        forward_(libraries, op, forward_buffers(buffers), options, true),
        gradient_(scores_bytes_) {
    reason_ = forward_.reason();
    if (reason_.empty()) bind(buffers, 0);
  }

  // q k v do, derived o stats -> dq dk dv
  void bind(std::span<void* const> buffers, std::size_t place) final {
    workspace_.move_to(place);
    forward_.bind(forward_buffers(buffers), place);
    const RowMajor q = walk_.tokens(buffers[0]);
    const RowMajor k = walk_.tokens(buffers[1]);
    const RowMajor v = walk_.tokens(buffers[2]);
    const RowMajor d_o = walk_.tokens(buffers[3]);
    const RowMajor p = walk_.scores(forward_.probabilities());
    const RowMajor ds = walk_.scores(gradient_.data());
    bind_products(std::array{problem(p, true, d_o, false, walk_.tokens(buffers[8]), 1),
                             problem(d_o, false, v, true, ds, 1),
                             problem(ds, false, k, false, walk_.tokens(buffers[6]), scale_),
                             problem(ds, true, q, false, walk_.tokens(buffers[7]), scale_)});
  }

  void prepare(cudaStream_t stream) override { forward_.enqueue(stream); }

  void enqueue(cudaStream_t stream) override {
    run(0, stream);
    run(1, stream);
    softmax_gradient(gradient_.data(), forward_.probabilities(), stream);
    run(2, stream);
    run(3, stream);
  }

 private:
  static std::array<void*, 5> forward_buffers(std::span<void* const> buffers) {
    return {buffers[0], buffers[1], buffers[2], buffers[4], buffers[5]};  // q k v o stats
  }
  [[nodiscard]] std::size_t score_buffers() const override { return 2; }

  UnfusedForward forward_;
  DeviceBuffer<std::byte> gradient_;
};

template <typename Made>
PlanOrReason plan_or_reason(const Libraries& libraries, const Op& op,
                            std::span<void* const> buffers, const PlanOptions& options) {
  auto plan = std::make_unique<Made>(libraries, op, buffers, options);
  if (!plan->reason().empty()) return {nullptr, plan->reason()};
  return {std::move(plan), ""};
}

}  // namespace

PlanOrReason make_attention_cublaslt(const Libraries& libraries, const Op& op,
                                     std::span<void* const> buffers, const PlanOptions& options) {
  if (op.family == Family::attention_fwd) {
    return plan_or_reason<UnfusedForward>(libraries, op, buffers, options);
  }
  return plan_or_reason<UnfusedBackward>(libraries, op, buffers, options);
}

}  // namespace stepcast
