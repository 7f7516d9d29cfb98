// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/cost.hpp"

#include <fmt/format.h>

#include <utility>

#include "layers/operands.hpp"

namespace stepcast {
namespace {

/// FLOP and the formula in words, side by side.
struct Work {
  double flop;
  std::string formula;
};

/// A size as a double: products of sizes can pass 2^63.
double real(std::int64_t size) { return static_cast<double>(size); }

Work conv(const ConvShape& s) {
  return {2.0 * real(s.n) * real(s.k) * real(out_h(s)) * real(out_w(s)) * real(s.c / s.g) *
              real(s.r) * real(s.s),
          "2 n k H W (c/g) r s"};
}

Work gemm(const Op& op, const GemmShape& s) {
  const double product = 2.0 * real(s.m) * real(s.n) * real(s.k);
  const double y = real(s.m) * real(s.n);
  const double x = real(s.m) * real(s.k);
  switch (op.epilogue) {
    case Epilogue::bias:
      return {product + y, "2 m n k + m n (bias)"};
    case Epilogue::bias_gelu:  // bias 1; GELU as below
      return {product + 6.0 * y, "2 m n k + 6 m n (bias, GELU)"};
    case Epilogue::dgelu:  // as gelu_bwd below
      return {product + 11.0 * x, "2 m n k + 11 m k (GELU's derivative)"};
    case Epilogue::bgrad:
      return {product + y, "2 m n k + m n (bias gradient)"};
    default:
      return {product, "2 m n k"};
  }
}

/// Matrix products alone; the softmax is not counted. The backward pass has four products (dV, dP,
/// dQ, dK); a fused one has a fifth, since it keeps no probabilities and computes q k^T again.
Work attention(const Op& op, const AttentionShape& s) {
  const double product = 2.0 * real(s.b) * real(s.h) * real(s.s) * real(s.s) * real(s.d);
  if (op.family == Family::attention_fwd) return {2.0 * product, "4 b h s s d"};
  if (op.provider == Provider::cublaslt) return {4.0 * product, "8 b h s s d"};
  return {5.0 * product, "10 b h s s d"};
}

/// Forward: 3 for the sums (x, and x^2 as a multiply-add), 2 to normalise (a multiply-add with
/// scale and shift of the channel). Backward: 4 for the sums (x - mean, a multiply-add with dy, a
/// sum of dy), 5 for dx = (dy - a - (x - mean) b) gamma invstd. ReLU and residual add 1 each.
Work batchnorm(const Op& op, const ImageShape& s) {
  const double x = real(s.n) * real(s.c) * real(s.h) * real(s.w);
  const bool forward = op.family == Family::batchnorm_fwd;
  const int extra = op.epilogue == Epilogue::none                  ? 0
                    : op.epilogue == Epilogue::add_relu && forward ? 2
                                                                   : 1;
  const int each = (forward ? 5 : 9) + extra;
  return {each * x, fmt::format("{} n c h w", each)};
}

/// Forward: 3 for the sums, 4 for (x - mean) invstd gamma + beta. Backward: 2 for
/// x^ = (x - mean) invstd, 1 for g = dy gamma, 3 for the sums of g and g x^, 4 for
/// dx = (g - a - x^ b) invstd, 3 for dgamma and dbeta.
Work layernorm(const Op& op, const MatrixShape& s) {
  const int each = op.family == Family::layernorm_fwd ? 7 : 13;
  return {each * real(s.m) * real(s.n), fmt::format("{} m n", each)};
}

Work matrix(const Op& op, const MatrixShape& s) {
  const double count = real(s.m) * real(s.n);
  switch (op.family) {
    case Family::layernorm_fwd:
    case Family::layernorm_bwd:
      return layernorm(op, s);
    case Family::cross_entropy_fwd:  // max, subtract, exp, sum, subtract; then the mean
      return {5.0 * count + real(s.m), "5 m n + m"};
    case Family::cross_entropy_bwd:  // exp, scale; subtract the one of the label
      return {2.0 * count + real(s.m), "2 m n + m"};
    default:  // bias_add, bias_grad
      return {count, "m n"};
  }
}

/// erf and exp count as one. GELU: 0.5 x (1 + erf(x / sqrt 2)). Its derivative times dy:
/// dy (0.5 (1 + erf(x / sqrt 2)) + x exp(-x^2 / 2) / sqrt(2 pi)).
Work elementwise(const Op& op, const ElementsShape& s) {
  switch (op.family) {
    case Family::gelu_fwd:
      return {5.0 * real(s.e), "5 e"};
    case Family::gelu_bwd:
      return {11.0 * real(s.e), "11 e"};
    case Family::cast:
    case Family::copy:
    case Family::zero:
      return {0.0, "0"};
    default:  // relu, add, scale, increment
      return {real(s.e), "e"};
  }
}

/// Max: a comparison for each place of a window, an addition for each gradient. Average: an
/// addition for each place of a window; backward also a division for each gradient.
Work pool(const Op& op, const PoolShape& s) {
  const double y = real(s.n) * real(s.c) * real(out_h(s)) * real(out_w(s));
  const double window = real(s.r) * real(s.r);
  if (op.family == Family::maxpool_bwd) return {y, "n c H W"};
  if (op.family == Family::avgpool_bwd) return {y * (window + 1.0), "n c H W (r r + 1)"};
  return {y * window, "n c H W r r"};
}

/// SGD: two multiply-adds. Unscale: a multiplication and a test.
Work optimizer(const Op& op, const TensorsShape& s) {
  if (op.family == Family::sgd) return {4.0 * real(s.e), "4 e"};
  return {2.0 * real(s.e), "2 e"};
}

struct WorkOf {
  const Op& op;

  Work operator()(const ConvShape& s) const { return conv(s); }
  Work operator()(const GemmShape& s) const { return gemm(op, s); }
  Work operator()(const AttentionShape& s) const { return attention(op, s); }
  Work operator()(const ImageShape& s) const { return batchnorm(op, s); }
  Work operator()(const PoolShape& s) const { return pool(op, s); }
  Work operator()(const MatrixShape& s) const { return matrix(op, s); }
  Work operator()(const ElementsShape& s) const { return elementwise(op, s); }
  Work operator()(const TensorsShape& s) const { return optimizer(op, s); }
  Work operator()(const PermuteShape&) const { return {0.0, "0"}; }
};

/// How often an operand must cross DRAM: once to read it, once to write it. Batch norm needs its
/// sums before it can write, so it reads twice: forward x; backward dy and x, and y where ReLU
/// masks dy, or, with a residual, the masked dy that the first pass wrote as dz.
int passes(const Op& op, const Operand& operand) {
  const std::string& name = operand.name;
  switch (op.family) {
    case Family::batchnorm_fwd:
      if (name == "x") return 2;
      break;
    case Family::batchnorm_bwd:
      if (name == "x" || name == "dz") return 2;
      if (name == "dy" || name == "y") return op.epilogue == Epilogue::add_relu ? 1 : 2;
      break;
    case Family::maxpool_bwd:
      if (name == "x") return 0;  // read by prepare() alone
      break;
    case Family::cross_entropy_bwd:
      if (name == "logits") return 0;  // read by prepare() alone
      break;
    default:
      break;
  }
  return operand.role == Role::in_out ? 2 : 1;
}

/// Which of an operand's passes write: the result of an output, one of the two of an in-out
/// operand, and the first of dz's two, which the second reads.
bool is_written(const Operand& operand) {
  return operand.role == Role::output || operand.role == Role::in_out;
}

/// Elements of the matrix of scores, which unfused attention writes to memory, turns into
/// probabilities, and reads; 0 for all other ops.
double score_elements(const Op& op) {
  const auto* s = std::get_if<AttentionShape>(&op.shape);
  if (s == nullptr || op.provider != Provider::cublaslt) return 0;
  return real(s->b) * real(s->h) * real(s->s) * real(s->s);
}

/// Launches of a multi-tensor kernel. PyTorch's multi_tensor_apply cuts tensors into chunks of
/// 65536 elements and gives at most 320 chunks to a launch; each tensor has one chunk that is not
/// full. An approximation: it also limits the tensors of a launch (30 to 110, by their number in a
/// list), which counts where the tensors are small.
std::int64_t multi_tensor_launches(const TensorsShape& s) {
  const std::int64_t chunks = s.t + s.e / 65536;
  return (chunks + 319) / 320;
}

}  // namespace

Cost cost(const Op& op) {
  Cost result;
  const Work work = std::visit(WorkOf{op}, op.shape);
  result.flop = Flop(work.flop);
  result.flop_formula = work.formula;

  double bytes = 0;
  double written = 0;
  std::string& formula = result.bytes_formula;
  const auto add = [&](int times, std::string_view name, double count, DType type) {
    bytes += times * count * real(element_bytes(type));
    formula += fmt::format("{}{}{}", formula.empty() ? "" : " + ",
                           times == 1 ? "" : fmt::format("{} ", times), name);
  };
  for (const Operand& operand : operands(op)) {
    const int times = passes(op, operand);
    if (times > 0) add(times, operand.name, real(operand.count), operand.type);
    if (is_written(operand)) written += real(operand.count * element_bytes(operand.type));
  }
  if (const double scores = score_elements(op); scores > 0) {
    // Forward: the scores written; read and written by the softmax; read by the product with v.
    // Backward: the probabilities read twice (dv, softmax), their gradient written once and read
    // once by the softmax, its result written once and read twice (dq, dk).
    const bool forward = op.family == Family::attention_fwd;
    add(forward ? 4 : 7, "scores", scores, op.in);
    written += 2.0 * scores * real(element_bytes(op.in));
  }
  result.written_bytes = Bytes(written);
  result.least_bytes = Bytes(bytes);
  return result;
}

std::string_view cache_mode(const Cost& cost, Bytes l2) {
  return cost.least_bytes > l2 ? "cold" : "hot";
}

std::int64_t kernels(const Op& op) {
  const bool native = op.provider == Provider::native;
  const bool cuda = op.provider == Provider::cuda;
  const bool forward = op.family == Family::attention_fwd;
  switch (op.family) {
    case Family::batchnorm_fwd:  // statistics, running statistics (cuda: in the first), normalised
      return native ? 3 : cuda ? 2 : 1;
    case Family::batchnorm_bwd:  // sums, dx; native in nchw one fused kernel
      return cuda || (native && op.layout == Layout::nhwc) ? 2 : 1;
    case Family::layernorm_bwd:  // dx; dgamma and dbeta (cuda: of the blocks' sums)
      return 2;
    case Family::attention_fwd:
    case Family::attention_bwd:
      // cuDNN backward: o times do, gradients, conversion of dq. Unfused: two products and a
      // softmax; backward four products and the softmax. In bshd the matrices of batch and head do
      // not lie at one distance, and each product is a launch a head.
      if (op.provider == Provider::cublaslt) {
        const std::int64_t calls =
            op.layout == Layout::sbhd ? 1 : std::get<AttentionShape>(op.shape).h;
        return (forward ? 2 : 4) * calls + 1;
      }
      return forward ? 1 : 3;
    case Family::cross_entropy_fwd:  // log_softmax, then the mean of the labels' entries
    case Family::cross_entropy_bwd:
      return native ? 2 : 1;
    case Family::sgd:  // momentum scaled, gradient added to it, weight updated: a pass each
      return native ? 3 * multi_tensor_launches(std::get<TensorsShape>(op.shape)) : 1;
    case Family::unscale:
      return native ? multi_tensor_launches(std::get<TensorsShape>(op.shape)) : 1;
    default:
      return 1;
  }
}

}  // namespace stepcast
