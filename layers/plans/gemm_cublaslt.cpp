// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/gemm_cublaslt.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "layers/plans/cublaslt_matmul.hpp"
#include "layers/plans/workspace.hpp"

namespace stepcast {
namespace {

/// Twice what PyTorch gives cuBLASLt on Hopper (32 MiB), so that its choice is among the
/// candidates.
constexpr std::size_t kMostWorkspace = std::size_t{64} << 20;

RowMajor matrix(void* memory, std::int64_t rows, std::int64_t columns) {
  return {memory, rows, columns, columns};
}

/// y[m,n] = x[m,k] w[n,k]^T, dx[m,k] = dy[m,n] w[n,k], dw[n,k] = dy[m,n]^T x[m,k]: 2 m n k FLOP.
MatmulProblem real_problem(const Op& op, std::span<void* const> buffers) {
  const auto [m, n, k] = std::get<GemmShape>(op.shape);
  MatmulProblem problem;
  problem.in = op.in;
  problem.out = op.out;
  // Bias and aux have the type that operands() gives them: inputs op.in, outputs op.out.
  problem.bias_type = op.family == Family::gemm_wgrad ? op.out : op.in;
  problem.aux_type = op.family == Family::gemm_dgrad ? op.in : op.out;
  switch (op.family) {
    case Family::gemm_fprop: {
      const bool bias = op.epilogue != Epilogue::none;
      void* result = buffers[bias ? 3 : 2];
      problem.a = matrix(buffers[0], m, k);
      problem.b = matrix(buffers[1], n, k);
      problem.transpose_b = true;
      problem.result = matrix(result, m, n);
      if (bias) problem.bias = buffers[2];
      if (op.epilogue == Epilogue::bias) problem.epilogue = CUBLASLT_EPILOGUE_BIAS;
      if (op.epilogue == Epilogue::bias_gelu) {
        problem.epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
        problem.aux = buffers[4];
      }
      break;
    }
    case Family::gemm_dgrad: {
      const bool dgelu = op.epilogue == Epilogue::dgelu;
      problem.a = matrix(buffers[0], m, n);
      problem.b = matrix(buffers[1], n, k);
      problem.result = matrix(buffers[dgelu ? 3 : 2], m, k);
      if (dgelu) {
        problem.epilogue = CUBLASLT_EPILOGUE_DGELU;
        problem.aux = buffers[2];
      }
      break;
    }
    default: {  // gemm_wgrad
      problem.a = matrix(buffers[0], m, n);
      problem.transpose_a = true;
      problem.b = matrix(buffers[1], m, k);
      problem.result = matrix(buffers[2], n, k);
      if (op.epilogue == Epilogue::bgrad) {
        problem.epilogue = CUBLASLT_EPILOGUE_BGRADB;  // our a, dy, is cuBLASLt's B
        problem.bias = buffers[3];
      }
    }
  }
  return problem;
}

/// The same in e4m3, whose operands are stored with the summed dimension fastest: in every
/// direction result = a b^T, cuBLASLt's "TN".
MatmulProblem fp8_problem(const Op& op, std::span<void* const> buffers, const float* one) {
  const auto [m, n, k] = std::get<GemmShape>(op.shape);
  const auto product = [&](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    MatmulProblem problem;
    problem.in = op.in;
    problem.out = op.out;
    problem.a = matrix(buffers[0], rows, depth);
    problem.b = matrix(buffers[1], columns, depth);
    problem.transpose_b = true;
    problem.result = matrix(buffers[2], rows, columns);
    problem.scale = one;
    return problem;
  };
  if (op.family == Family::gemm_fprop) return product(m, n, k);  // x[m,k] w[n,k]
  if (op.family == Family::gemm_dgrad) return product(m, k, n);  // dy[m,n] w[k,n]
  return product(n, k, m);                                       // dy[n,m] x[k,m]
}

/// `one` is read for e4m3 alone.
MatmulProblem problem(const Op& op, std::span<void* const> buffers, const float* one) {
  return op.in == DType::e4m3 ? fp8_problem(op, buffers, one) : real_problem(op, buffers);
}

/// The 1 on the device by which cuBLASLt scales operands of e4m3; nothing for other types.
DeviceBuffer<float> make_scale(DType type) {
  if (type != DType::e4m3) return {};
  constexpr float kOne = 1;
  DeviceBuffer<float> scale(1);
  check(cudaMemcpy(scale.data(), &kOne, sizeof(kOne), cudaMemcpyHostToDevice), "writing a scale");
  // A copy from pageable memory may return before it has landed.
  check(cudaDeviceSynchronize(), "writing a scale");
  return scale;
}

/// What cuBLASLt has an epilogue for, by direction.
bool has_epilogue(const Op& op) {
  switch (op.epilogue) {
    case Epilogue::none:
      return true;
    case Epilogue::bias:
    case Epilogue::bias_gelu:
      return op.family == Family::gemm_fprop;
    case Epilogue::dgelu:
      return op.family == Family::gemm_dgrad;
    case Epilogue::bgrad:
      return op.family == Family::gemm_wgrad;
    default:
      return false;
  }
}

class GemmPlan final : public Plan {
 public:
  GemmPlan(const Op& op, CublasLtMatmul matmul, DeviceBuffer<float> scale)
      : op_(op), matmul_(std::move(matmul)), scale_(std::move(scale)) {
    select(0);
  }

  [[nodiscard]] std::string name() const override { return matmul_.name(); }
  [[nodiscard]] std::string notes() const override { return matmul_.notes(); }
  [[nodiscard]] std::size_t workspace_bytes() const override { return matmul_.workspace_bytes(); }
  void bind(std::span<void* const> buffers, std::size_t place) override {
    workspace_.move_to(place);
    matmul_.move_to(problem(op_, buffers, scale_.data()));
  }
  void enqueue(cudaStream_t stream) override { matmul_.enqueue(stream, workspace_.data()); }
  [[nodiscard]] std::size_t candidates() const override { return matmul_.candidates(); }
  [[nodiscard]] std::size_t selected() const override { return matmul_.selected(); }

  bool select(std::size_t rank) final {
    if (!matmul_.select(rank)) return false;
    workspace_.reserve(matmul_.workspace_bytes());
    return true;
  }

 private:
  Op op_;
  CublasLtMatmul matmul_;
  DeviceBuffer<float> scale_;  // that matmul_ points to
  Workspace workspace_;
};

}  // namespace

PlanOrReason make_gemm_cublaslt(const Libraries& libraries, const Op& op,
                                std::span<void* const> buffers, const PlanOptions& options) {
  if (!has_epilogue(op)) {
    return {nullptr, "cuBLASLt's " + std::string(name(op.family)) + " has no epilogue " +
                         std::string(name(op.epilogue))};
  }
  DeviceBuffer<float> scale = make_scale(op.in);
  CublasLtMatmul matmul(libraries.cublaslt.get(), problem(op, buffers, scale.data()),
                        std::min(options.workspace_limit_bytes, kMostWorkspace),
                        options.max_candidates);
  if (!matmul.reason().empty()) return {nullptr, matmul.reason()};
  return {std::make_unique<GemmPlan>(op, std::move(matmul), std::move(scale)), ""};
}

}  // namespace stepcast
