// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace stepcast {
namespace {

constexpr double kU32 = 0x1p-24;
constexpr double kTf32Cut = 0x1p-10;    // largest relative error of a factor that is cut to tf32
constexpr double kLongestRun = 0x1p16;  // terms that an engine adds to one accumulator
constexpr double kCutTerms = 4;         // terms of a tensor core's step, at least
constexpr double kFp16Least = 0x1p-25;  // half of fp16's smallest number: its rounding near zero
constexpr double kFp8Sums = 0x1p-9;     // loss of sums of e4m3 products, in typical results
constexpr double kProduct = 1.0 / 3;    // rms of a product of two numbers uniform in [-1, 1]

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double near_zero(DType out) { return out == DType::fp16 ? kFp16Least : 0; }

/// Arithmetic in fp32 on numbers of order one, with an error of `absolute`, rounded to `out`.
Allowance pointwise(DType out, double absolute) {
  return {2 * unit_roundoff(out), absolute + near_zero(out)};
}

/// One rounding to nearest of an exact value, of which double itself keeps enough.
Allowance rounded_once(DType out) { return {1.001 * unit_roundoff(out), near_zero(out)}; }

/// Terms of each sum: of the inner places of the image, which have most of them.
double conv_terms(Family family, const ConvShape& s) {
  if (family == Family::conv_fprop) return static_cast<double>(s.c / s.g * s.r * s.s);
  if (family == Family::conv_dgrad) {
    return static_cast<double>(s.k / s.g * up(s.r, s.u) * up(s.s, s.u));
  }
  return static_cast<double>(s.n * out_h(s) * out_w(s));
}

double gemm_terms(Family family, const GemmShape& s) {
  if (family == Family::gemm_fprop) return static_cast<double>(s.k);
  return static_cast<double>(family == Family::gemm_dgrad ? s.n : s.m);
}

/// GELU's slope is at most 1.13; its tanh is the hardware's where results are in half precision,
/// with an error of 2^-11, which y = 0.5 x (1 + tanh) and the derivative carry on.
Allowance gemm(const Op& op, const Operand& operand) {
  const double terms = gemm_terms(op.family, std::get<GemmShape>(op.shape));
  const double rms = operand.name == "dbias" ? 1.0 / std::sqrt(3.0) : kProduct;
  Allowance sum = sum_allowance(terms, rms, op.in, operand.type);
  const double tanh_error = unit_roundoff(operand.type) > kU32 ? 0x1p-10 : 0x1p-20;
  if (op.epilogue == Epilogue::bias_gelu && operand.name == "y") {
    sum.absolute = 1.13 * sum.absolute + 2 * tanh_error;
    sum.relative *= 1.13;
  }
  if (op.epilogue == Epilogue::dgelu) {
    // Products of up to 6 times their typical size, times the derivative's error.
    sum.absolute = 1.13 * sum.absolute + 6 * rms * std::sqrt(terms) * tanh_error;
  }
  return sum;
}

/// Scores have an rms of 1/3. A probability is near 1/s, a row of o or dv has the rms 0.61/sqrt s,
/// one of dq or dk 0.21/sqrt s. Rounding p (and the scores, and da) moves each term of these sums
/// by u, at random: 8 u typical. In tf32 the factors of all products may be cut.
Allowance attention(const Op& op, const Operand& operand) {
  const double s = static_cast<double>(std::get<AttentionShape>(op.shape).s);
  const bool half = unit_roundoff(op.in) > kU32;
  const double u = op.in == DType::tf32 ? kTf32Cut : unit_roundoff(op.in);
  // Exponentials of the hardware, sums of d and of s terms in fp32.
  const double exact = 64 * kU32;
  if (operand.name == "stats") return {0x1p-20, u + 0x1p-18};
  const bool gradient_of_scores = operand.name == "dq" || operand.name == "dk";
  const double typical = (gradient_of_scores ? 0.21 : 0.61) / std::sqrt(s);
  const double rounding = op.in == DType::tf32 || half ? 8 * u : 0;
  const double relative = std::max(2 * unit_roundoff(operand.type), op.in == DType::tf32 ? u : 0);
  return {relative + exact, typical * (rounding + exact) + near_zero(operand.type)};
}

/// Means are small because their terms cancel; inverse deviations are near sqrt 3.
Allowance norm(const Op& op, const Operand& operand) {
  double terms = 0;  // of the sums over a channel or, in layer norm's gradients, over the rows
  if (const auto* image = std::get_if<ImageShape>(&op.shape)) {
    terms = static_cast<double>(image->n * image->h * image->w);
  } else {
    terms = static_cast<double>(std::get<MatrixShape>(op.shape).m);
  }
  if (operand.name == "dgamma" || operand.name == "dbeta") {
    return sum_allowance(terms, 1, DType::fp32, DType::fp32);
  }
  if (operand.name == "dz") return rounded_once(operand.type);
  if (operand.name == "mean" || operand.name == "save_mean" || operand.name == "running_mean") {
    return {0x1p-20, 0x1p-20};
  }
  if (operand.name == "invstd" || operand.name == "save_invstd" || operand.name == "running_var") {
    return {0x1p-18, 0};
  }
  // y and dx. Kernels of their own add the residual to a y that was rounded, and is below 4.
  const bool rounded_before = op.epilogue == Epilogue::add_relu && operand.name == "y";
  return pointwise(operand.type, 0x1p-18 + (rounded_before ? 4 * unit_roundoff(operand.type) : 0));
}

Allowance cross_entropy(const Operand& operand) {
  if (operand.name == "dlogits") {
    return {2 * unit_roundoff(operand.type) + 0x1p-18, near_zero(operand.type)};
  }
  return {0x1p-19, 0x1p-19};  // logprob, loss
}

}  // namespace

double unit_roundoff(DType stored) {
  switch (stored) {
    case DType::fp32:
    case DType::tf32:
      return kU32;
    case DType::fp16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    default:
      return 0;
  }
}

Allowance sum_allowance(double terms, double rms, DType in, DType out) {
  const double typical = rms * std::sqrt(terms);
  const double run = std::min(terms, kLongestRun);
  const bool half = unit_roundoff(out) > kU32;
  Allowance sum{2 * unit_roundoff(out), near_zero(out)};
  // A sum that is longer than one run is split for certain.
  if (half) sum.absolute += (terms > kLongestRun ? 16 : 4) * unit_roundoff(out) * typical;
  sum.absolute += 8 * 0.41 * kU32 * std::sqrt(run) * typical;
  if (in == DType::fp32) {
    sum.absolute += 256 * kU32 * typical;
  } else {
    sum.absolute += 2.0 / 3 * run / kCutTerms * 2 * kU32 * typical + 8 * kU32 * typical;
  }
  if (in == DType::tf32) {
    sum.relative += kTf32Cut;
    sum.absolute += 2.4 * kTf32Cut * typical;
  }
  if (in == DType::e4m3) sum.absolute += kFp8Sums * typical;
  return sum;
}

Allowance allowance(const Op& op, const Operand& operand) {
  const DType out = operand.type;
  if (unit_roundoff(out) == 0) return {};  // whole numbers
  switch (op.family) {
    case Family::conv_fprop:
    case Family::conv_dgrad:
    case Family::conv_wgrad:
      return sum_allowance(conv_terms(op.family, std::get<ConvShape>(op.shape)), kProduct, op.in,
                           out);
    case Family::gemm_fprop:
    case Family::gemm_dgrad:
    case Family::gemm_wgrad:
      return gemm(op, operand);
    case Family::attention_fwd:
    case Family::attention_bwd:
      return attention(op, operand);
    case Family::batchnorm_fwd:
    case Family::batchnorm_bwd:
    case Family::layernorm_fwd:
    case Family::layernorm_bwd:
      return norm(op, operand);
    case Family::gelu_fwd:
    case Family::gelu_bwd:
      return pointwise(out, 0x1p-19);
    case Family::add:
    case Family::cast:
    case Family::scale:
      return rounded_once(out);
    case Family::bias_add:
      return rounded_once(out);
    case Family::bias_grad:
      return sum_allowance(static_cast<double>(std::get<MatrixShape>(op.shape).m),
                           1 / std::sqrt(3.0), DType::fp32, out);
    case Family::avgpool_fwd:
    case Family::avgpool_bwd:
    case Family::maxpool_bwd:
      return pointwise(out, 0x1p-21);
    case Family::cross_entropy_fwd:
    case Family::cross_entropy_bwd:
      return cross_entropy(operand);
    case Family::sgd:
      return {0x1p-22, 0x1p-22};
    default:  // relu, copy, zero, increment, permute, maxpool_fwd, unscale: exact
      return {};
  }
}

}  // namespace stepcast
