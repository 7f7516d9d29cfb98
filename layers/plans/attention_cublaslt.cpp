// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/attention_cublaslt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "layers/plans/buffer_sets.hpp"
#include "layers/plans/cublaslt_matmul.hpp"
#include "layers/plans/softmax.hpp"
#include "layers/plans/workspace.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;  // as for linear layers

/// How the b h matrices of one product are walked over. In sbhd they lie at one distance, so that
/// one call does them all; in bshd they do not, and there is one call a head, over the batch.
struct Walk {
  AttentionShape shape;
  bool one_call = false;

  explicit Walk(const Op& op)
      : shape(std::get<AttentionShape>(op.shape)), one_call(op.layout == Layout::sbhd) {}

  [[nodiscard]] std::int64_t calls() const { return one_call ? 1 : shape.h; }
  [[nodiscard]] std::int64_t batch() const { return one_call ? shape.b * shape.h : shape.b; }

  /// q, k, v, o of one head and sequence: s rows of d.
  [[nodiscard]] RowMajor tokens(void* memory) const {
    const auto& a = shape;
    if (one_call) return {memory, a.s, a.d, a.b * a.h * a.d, a.d, 0};
    return {memory, a.s, a.d, a.h * a.d, a.s * a.h * a.d, a.d};
  }

  /// Scores or probabilities [b,h,s,s] of one head and sequence.
  [[nodiscard]] RowMajor scores(void* memory) const {
    const auto& a = shape;
    const std::int64_t matrix = a.s * a.s;
    if (one_call) return {memory, a.s, a.s, a.s, matrix, 0};
    return {memory, a.s, a.s, a.s, a.h * matrix, matrix};
  }
};

/// The products and buffers of one direction; subclasses say in which order they run.
class UnfusedPlan : public Plan {
 public:
  UnfusedPlan(const Libraries& libraries, const Op& op, const PlanOptions& options)
      : walk_(op),
        type_(op.in),
        scale_(1.0F / std::sqrt(static_cast<float>(walk_.shape.d))),
        handle_(libraries.cublaslt.get()),
        limit_(std::min(options.workspace_limit_bytes, kMostWorkspace)),
        scores_bytes_(static_cast<std::size_t>(rows() * walk_.shape.s * element_bytes(op.in))) {}

  /// Empty, or why one of the products has no algorithm.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  [[nodiscard]] std::string name() const override {
    std::string joined;
    for (const CublasLtMatmul& product : products_) {
      if (!joined.empty()) joined += "+";
      joined += product.name();
    }
    return joined;
  }

  /// Those of the products, each once.
  [[nodiscard]] std::string notes() const override {
    std::vector<std::string> distinct;
    for (const CublasLtMatmul& product : products_) {
      std::string notes = product.notes();
      if (std::find(distinct.begin(), distinct.end(), notes) != distinct.end()) continue;
      distinct.push_back(std::move(notes));
    }
    std::string joined;
    for (const std::string& notes : distinct) joined += (joined.empty() ? "" : "; ") + notes;
    return joined;
  }

  /// Room for the products, and for scores and their gradient.
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return workspace_.bytes() + score_buffers() * scores_bytes_;
  }

 protected:
  [[nodiscard]] virtual std::size_t score_buffers() const = 0;

  [[nodiscard]] std::int64_t rows() const { return walk_.shape.b * walk_.shape.h * walk_.shape.s; }

  /// alpha op(a) op(b)
  [[nodiscard]] MatmulProblem problem(RowMajor a, bool transpose_a, RowMajor b, bool transpose_b,
                                      RowMajor result, float alpha) const {
    MatmulProblem problem;
    problem.in = type_;
    problem.out = type_;
    problem.a = a;
    problem.b = b;
    problem.result = result;
    problem.transpose_a = transpose_a;
    problem.transpose_b = transpose_b;
    problem.batch = walk_.batch();
    problem.alpha = alpha;
    return problem;
  }

  /// Makes the products of these problems, with the first of the heuristic's algorithms, or moves
  /// them where they are made already.
  void bind_products(std::span<const MatmulProblem> problems) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (i < products_.size()) {
        products_[i].move_to(problems[i]);
      } else {
        add_product(problems[i]);
      }
    }
  }

  void run(std::size_t product, cudaStream_t stream) {
    for (std::int64_t call = 0; call < walk_.calls(); ++call) {
      products_[product].enqueue(stream, workspace_.data(), call);
    }
  }

  /// Scores and softmax: probabilities, and the logarithm of the sum of exponentials.
  void softmax(void* scores, void* log_sum, cudaStream_t stream) const {
    auto* sums = static_cast<float*>(log_sum);
    const std::int64_t s = walk_.shape.s;
    if (type_ == DType::fp16) {
      softmax_forward(static_cast<__half*>(scores), sums, rows(), s, stream);
    } else if (type_ == DType::bf16) {
      softmax_forward(static_cast<__nv_bfloat16*>(scores), sums, rows(), s, stream);
    } else {
      softmax_forward(static_cast<float*>(scores), sums, rows(), s, stream);
    }
  }

  void softmax_gradient(void* gradient, const void* probabilities, cudaStream_t stream) const {
    const std::int64_t s = walk_.shape.s;
    if (type_ == DType::fp16) {
      softmax_backward(static_cast<__half*>(gradient), static_cast<const __half*>(probabilities),
                       rows(), s, stream);
    } else if (type_ == DType::bf16) {
      softmax_backward(static_cast<__nv_bfloat16*>(gradient),
                       static_cast<const __nv_bfloat16*>(probabilities), rows(), s, stream);
    } else {
      softmax_backward(static_cast<float*>(gradient), static_cast<const float*>(probabilities),
                       rows(), s, stream);
    }
  }

  Walk walk_;
  DType type_;
  float scale_;
  cublasLtHandle_t handle_;
  std::size_t limit_;
  std::size_t scores_bytes_;
  Workspace workspace_;
  std::vector<CublasLtMatmul> products_;
  std::string reason_;

 private:
  void add_product(const MatmulProblem& problem) {
    CublasLtMatmul made(handle_, problem, limit_, 1);
    if (!made.reason().empty()) {
      reason_ = made.reason();
    } else {
      workspace_.reserve(std::max(workspace_.bytes(), made.workspace_bytes()));
    }
    products_.push_back(std::move(made));
  }
};

/// S = scale Q K^T, P = softmax(S), O = P V.
class UnfusedForward final : public UnfusedPlan {
 public:
  /// `keeps`: the probabilities of each set of buffers are kept, for a backward pass.
  UnfusedForward(const Libraries& libraries, const Op& op, std::span<void* const> buffers,
                 const PlanOptions& options, bool keeps = false)
      : UnfusedPlan(libraries, op, options), keeps_(keeps) {
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
class UnfusedBackward final : public UnfusedPlan {
 public:
  UnfusedBackward(const Libraries& libraries, const Op& op, std::span<void* const> buffers,
                  const PlanOptions& options)
      : UnfusedPlan(libraries, op, options),
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
