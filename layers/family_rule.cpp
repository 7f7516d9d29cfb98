// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/family_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layers/shape_fields.hpp"

namespace stepcast {
namespace {

const std::vector<FamilyRule>& rules() {
  using F = Family;
  using C = OpClass;
  using T = TypesRule;
  using P = Provider;
  using E = Epilogue;
  static const std::vector<Provider> own = {P::cuda, P::native};
  static const std::vector<Provider> norm = {P::cudnn, P::cuda, P::native};
  static const std::vector<Provider> attention = {P::cudnn, P::cublaslt};
  static const std::vector<Layout> image = {Layout::nchw, Layout::nhwc};
  static const std::vector<Layout> heads = {Layout::bshd, Layout::sbhd};
  static const std::vector<Layout> row = {Layout::row};
  static const std::vector<Layout> flat = {Layout::flat};
  static const std::vector<FamilyRule> table = {
      {F::conv_fprop, C::conv, ConvShape{}, T::product, {P::cudnn}, image, {}},
      {F::conv_dgrad, C::conv, ConvShape{}, T::product, {P::cudnn}, image, {}},
      {F::conv_wgrad, C::conv, ConvShape{}, T::product, {P::cudnn}, image, {}},
      {F::gemm_fprop, C::gemm, GemmShape{}, T::linear, {P::cublaslt}, row, {E::bias, E::bias_gelu}},
      {F::gemm_dgrad, C::gemm, GemmShape{}, T::linear, {P::cublaslt}, row, {E::dgelu}},
      {F::gemm_wgrad, C::gemm, GemmShape{}, T::linear, {P::cublaslt}, row, {E::bgrad}},
      {F::attention_fwd, C::attention, AttentionShape{}, T::same_product, attention, heads, {}},
      {F::attention_bwd, C::attention, AttentionShape{}, T::same_product, attention, heads, {}},
      {F::batchnorm_fwd, C::norm, ImageShape{}, T::real, norm, image, {E::relu, E::add_relu}},
      {F::batchnorm_bwd, C::norm, ImageShape{}, T::real, norm, image, {E::relu, E::add_relu}},
      {F::layernorm_fwd, C::norm, MatrixShape{}, T::real, own, row, {}},
      {F::layernorm_bwd, C::norm, MatrixShape{}, T::real, own, row, {}},
      {F::relu_fwd, C::elementwise, ElementsShape{}, T::same_real, own, flat, {}},
      {F::relu_bwd, C::elementwise, ElementsShape{}, T::same_real, own, flat, {}},
      {F::gelu_fwd, C::elementwise, ElementsShape{}, T::same_real, own, flat, {}},
      {F::gelu_bwd, C::elementwise, ElementsShape{}, T::same_real, own, flat, {}},
      {F::add, C::elementwise, ElementsShape{}, T::real, own, flat, {}},
      {F::cast, C::copy, ElementsShape{}, T::converted, own, flat, {}},
      {F::copy, C::copy, ElementsShape{}, T::same_any, own, flat, {}},
      {F::scale, C::elementwise, ElementsShape{}, T::same_real, own, flat, {}},
      {F::zero, C::copy, ElementsShape{}, T::same_any, own, flat, {}},
      {F::increment, C::elementwise, ElementsShape{}, T::counter, own, flat, {}},
      {F::permute, C::copy, PermuteShape{}, T::same_any, own, flat, {}},
      {F::bias_add, C::elementwise, MatrixShape{}, T::real, own, row, {}},
      {F::bias_grad, C::reduce, MatrixShape{}, T::real, own, row, {}},
      {F::maxpool_fwd, C::reduce, PoolShape{}, T::same_real, own, image, {}},
      {F::maxpool_bwd, C::reduce, PoolShape{}, T::same_real, own, image, {}},
      {F::avgpool_fwd, C::reduce, PoolShape{}, T::same_real, own, image, {}},
      {F::avgpool_bwd, C::reduce, PoolShape{}, T::same_real, own, image, {}},
      {F::cross_entropy_fwd, C::reduce, MatrixShape{}, T::real, own, row, {}},
      {F::cross_entropy_bwd, C::reduce, MatrixShape{}, T::real, own, row, {}},
      {F::sgd, C::optimizer, TensorsShape{}, T::master, own, flat, {}},
      {F::unscale, C::optimizer, TensorsShape{}, T::master, own, flat, {}},
  };
  return table;
}

template <typename T>
bool holds(const std::vector<T>& values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

template <typename T>
std::string listed(const std::vector<T>& values) {
  std::string text;
  for (const T value : values) text += fmt::format(" {}", name(value));
  return text;
}

bool is_real(DType type) {
  return type == DType::fp32 || type == DType::fp16 || type == DType::bf16;
}

bool is_product(DType type) { return is_real(type) || type == DType::tf32; }

/// Why the types do not fit the rule; empty if they do.
std::string types_fault(TypesRule rule, DType in, DType out) {
  const bool same = in == out;
  switch (rule) {
    case TypesRule::linear:
      if (in == DType::e4m3) return out == DType::bf16 ? "" : "the result of e4m3 is bf16";
      [[fallthrough]];
    case TypesRule::product:
      if (!is_product(in) || !is_product(out)) return "a matrix product takes fp32 tf32 fp16 bf16";
      if (!same && (in == DType::tf32 || out == DType::tf32))
        return "tf32 has no other type beside";
      return {};
    case TypesRule::same_product:
      if (!is_product(in) || !is_product(out)) return "a matrix product takes fp32 tf32 fp16 bf16";
      return same ? "" : "input and output must agree";
    case TypesRule::real:
      return is_real(in) && is_real(out) ? "" : "takes fp32 fp16 bf16";
    case TypesRule::same_real:
      if (!is_real(in) || !is_real(out)) return "takes fp32 fp16 bf16";
      return same ? "" : "input and output must agree";
    case TypesRule::same_any:
      if (in == DType::tf32 || out == DType::tf32) return "tf32 is for matrix products alone";
      if (in == DType::e4m3 || out == DType::e4m3) return "e4m3 is for linear layers alone";
      return same ? "" : "input and output must agree";
    case TypesRule::converted:
      if (in == DType::tf32 || !is_real(out)) return "converts to fp32 fp16 bf16";
      if (in == DType::e4m3) return "e4m3 is for linear layers alone";
      return same ? "input and output must differ" : "";
    case TypesRule::counter:
      return same && in == DType::int64 ? "" : "takes int64";
    case TypesRule::master:
      return same && in == DType::fp32 ? "" : "takes fp32";
  }
  return {};
}

std::string window_fault(std::int64_t h, std::int64_t w, std::int64_t r, std::int64_t s,
                         std::int64_t p) {
  if (p >= std::max(r, s)) return "padding p is not smaller than the window";
  if (r - h > 2 * p || s - w > 2 * p) return "the window is larger than the padded image";
  return {};
}

struct ShapeFault {
  std::string operator()(const ConvShape& s) const {
    if (s.c % s.g != 0 || s.k % s.g != 0) return "groups g do not divide the channels c and k";
    return window_fault(s.h, s.w, s.r, s.s, s.p);
  }
  std::string operator()(const PoolShape& s) const { return window_fault(s.h, s.w, s.r, s.r, s.p); }
  template <typename Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

/// Why the sizes cannot be; empty if they can.
std::string shape_fault(const Shape& shape) {
  std::string wrong;
  double product = 1;
  std::visit(
      [&](const auto& s) {
        for (const auto& field : fields(s)) {
          const std::int64_t value = s.*field.member;
          const std::int64_t least = field.letter == 'p' ? 0 : 1;
          if (value < least && wrong.empty()) {
            wrong = fmt::format("{} is {}, and must be at least {}", field.letter, value, least);
          }
          product *= static_cast<double>(std::max<std::int64_t>(value, 1));
        }
      },
      shape);
  if (!wrong.empty()) return wrong;
  if (product >= 0x1p58) return "the sizes multiply to 2^58 or more";
  return std::visit(ShapeFault{}, shape);
}

}  // namespace

const FamilyRule& family_rule(Family family) {
  return *std::find_if(rules().begin(), rules().end(),
                       [&](const FamilyRule& rule) { return rule.family == family; });
}

std::string fault(const Op& op) {
  const FamilyRule& rule = family_rule(op.family);
  if (op.epilogue != Epilogue::none && !holds(rule.epilogues, op.epilogue)) {
    return fmt::format("epilogue '{}': {} takes{}", name(op.epilogue), name(op.family),
                       rule.epilogues.empty() ? " none" : listed(rule.epilogues));
  }
  if (!holds(rule.providers, op.provider)) {
    return fmt::format("provider '{}': {} takes{}", name(op.provider), name(op.family),
                       listed(rule.providers));
  }
  if (const auto why = types_fault(rule.types, op.in, op.out); !why.empty()) {
    return fmt::format("types '{}': {}", types_text(op), why);
  }
  if (op.in == DType::e4m3 && op.epilogue != Epilogue::none) {
    return fmt::format("epilogue '{}': e4m3 takes none", name(op.epilogue));
  }
  if (!holds(rule.layouts, op.layout)) {
    return fmt::format("layout '{}': {} takes{}", name(op.layout), name(op.family),
                       listed(rule.layouts));
  }
  if (op.shape.index() != rule.shape.index()) {
    return fmt::format("shape '{}': not the letters of {}", shape_text(op.shape), name(op.family));
  }
  if (const auto why = shape_fault(op.shape); !why.empty()) {
    return fmt::format("shape '{}': {}", shape_text(op.shape), why);
  }
  const bool remembers_in_a_byte =
      op.provider == Provider::cuda &&
      (op.family == Family::maxpool_fwd || op.family == Family::maxpool_bwd);
  if (remembers_in_a_byte && std::get<PoolShape>(op.shape).r > 16) {
    return fmt::format("shape '{}': a place in a window wider than 16 is no byte",
                       shape_text(op.shape));
  }
  return {};
}

}  // namespace stepcast
