// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Op: one GPU operation with all that changes its time. Its key is its identity in benchmark names,
// profile rows and look-ups:
//
//   conv_fprop/cudnn/bf16/nhwc/n32c64h56w56k64r3s3u1p1
//   gemm_fprop+bias/cublaslt/fp16/row/m25216n3072k768
//   gemm_fprop/cublaslt/e4m3-bf16/row/m25216n3072k768
//   cast/native/fp32-bf16/flat/e2359296
//
// that is family[+epilogue] / provider / types / layout / shape. `types` is one name where input
// and output agree, and input-output where they do not.
// Which shape, providers, layouts, epilogues and types a family takes stands in family_rule.cpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/dtype.hpp"
#include "core/enum_names.hpp"

namespace stepcast {

/// An operation and its direction.
enum class Family {
  conv_fprop,
  conv_dgrad,
  conv_wgrad,
  gemm_fprop,
  gemm_dgrad,
  gemm_wgrad,
  attention_fwd,
  attention_bwd,
  batchnorm_fwd,
  batchnorm_bwd,
  layernorm_fwd,
  layernorm_bwd,
  relu_fwd,
  relu_bwd,
  gelu_fwd,
  gelu_bwd,
  add,
  cast,
  copy,
  scale,
  zero,
  increment,
  permute,
  bias_add,
  bias_grad,
  maxpool_fwd,
  maxpool_bwd,
  avgpool_fwd,
  avgpool_bwd,
  cross_entropy_fwd,
  cross_entropy_bwd,
  sgd,
  unscale
};

inline constexpr EnumNames<Family, 33> kFamilyNames{
    {{Family::conv_fprop, "conv_fprop"},
     {Family::conv_dgrad, "conv_dgrad"},
     {Family::conv_wgrad, "conv_wgrad"},
     {Family::gemm_fprop, "gemm_fprop"},
     {Family::gemm_dgrad, "gemm_dgrad"},
     {Family::gemm_wgrad, "gemm_wgrad"},
     {Family::attention_fwd, "attention_fwd"},
     {Family::attention_bwd, "attention_bwd"},
     {Family::batchnorm_fwd, "batchnorm_fwd"},
     {Family::batchnorm_bwd, "batchnorm_bwd"},
     {Family::layernorm_fwd, "layernorm_fwd"},
     {Family::layernorm_bwd, "layernorm_bwd"},
     {Family::relu_fwd, "relu_fwd"},
     {Family::relu_bwd, "relu_bwd"},
     {Family::gelu_fwd, "gelu_fwd"},
     {Family::gelu_bwd, "gelu_bwd"},
     {Family::add, "add"},
     {Family::cast, "cast"},
     {Family::copy, "copy"},
     {Family::scale, "scale"},
     {Family::zero, "zero"},
     {Family::increment, "increment"},
     {Family::permute, "permute"},
     {Family::bias_add, "bias_add"},
     {Family::bias_grad, "bias_grad"},
     {Family::maxpool_fwd, "maxpool_fwd"},
     {Family::maxpool_bwd, "maxpool_bwd"},
     {Family::avgpool_fwd, "avgpool_fwd"},
     {Family::avgpool_bwd, "avgpool_bwd"},
     {Family::cross_entropy_fwd, "cross_entropy_fwd"},
     {Family::cross_entropy_bwd, "cross_entropy_bwd"},
     {Family::sgd, "sgd"},
     {Family::unscale, "unscale"}}};

/// What tables group by.
enum class OpClass { conv, gemm, attention, norm, elementwise, copy, reduce, optimizer };

inline constexpr EnumNames<OpClass, 8> kOpClassNames{{{OpClass::conv, "conv"},
                                                      {OpClass::gemm, "gemm"},
                                                      {OpClass::attention, "attention"},
                                                      {OpClass::norm, "norm"},
                                                      {OpClass::elementwise, "elementwise"},
                                                      {OpClass::copy, "copy"},
                                                      {OpClass::reduce, "reduce"},
                                                      {OpClass::optimizer, "optimizer"}}};

/// Who executes an op. cudnn and cublaslt: NVIDIA's libraries. cuda: our own kernels, as good as we
/// can make them. native: our own kernels that copy the launch sequence and the traffic of eager
/// PyTorch.
enum class Provider { cudnn, cublaslt, cuda, native };

inline constexpr EnumNames<Provider, 4> kProviderNames{{{Provider::cudnn, "cudnn"},
                                                        {Provider::cublaslt, "cublaslt"},
                                                        {Provider::cuda, "cuda"},
                                                        {Provider::native, "native"}}};

/// The order of an operand's dimensions in memory, slowest first. `row` is a row-major matrix,
/// `flat` a run of elements; bshd and sbhd are attention's batch, sequence, head and head
/// dimension.
enum class Layout { nchw, nhwc, row, flat, bshd, sbhd };

inline constexpr EnumNames<Layout, 6> kLayoutNames{{{Layout::nchw, "nchw"},
                                                    {Layout::nhwc, "nhwc"},
                                                    {Layout::row, "row"},
                                                    {Layout::flat, "flat"},
                                                    {Layout::bshd, "bshd"},
                                                    {Layout::sbhd, "sbhd"}}};

/// What an op does to its result before it is written.
/// bias: adds a bias. bias_gelu: adds a bias, keeps that sum, applies GELU. dgelu: multiplies a
/// data gradient by GELU's derivative. bgrad: also reduces the bias gradient. relu: applies ReLU
/// (batch norm). add_relu: adds the residual, then ReLU (batch norm). GELU is cuBLASLt's tanh
/// approximation where the provider is cublaslt, and the error function's everywhere else.
enum class Epilogue { none, bias, bias_gelu, dgelu, bgrad, relu, add_relu };

inline constexpr EnumNames<Epilogue, 7> kEpilogueNames{{{Epilogue::none, "none"},
                                                        {Epilogue::bias, "bias"},
                                                        {Epilogue::bias_gelu, "bias_gelu"},
                                                        {Epilogue::dgelu, "dgelu"},
                                                        {Epilogue::bgrad, "bgrad"},
                                                        {Epilogue::relu, "relu"},
                                                        {Epilogue::add_relu, "add_relu"}}};

/// n images of c channels, h x w; k filters of r x s; stride u, padding p, g groups.
/// The same letters, those of the forward pass, in all three directions.
struct ConvShape {
  std::int64_t n = 0, c = 0, h = 0, w = 0, k = 0, r = 0, s = 0, u = 1, p = 0, g = 1;
  bool operator==(const ConvShape&) const = default;
};

/// Output height and width of a convolution.
constexpr std::int64_t out_h(const ConvShape& s) { return (s.h + 2 * s.p - s.r) / s.u + 1; }
constexpr std::int64_t out_w(const ConvShape& s) { return (s.w + 2 * s.p - s.s) / s.u + 1; }

/// A linear layer y[m,n] = x[m,k] W[n,k]^T. The same letters in all three directions:
/// gemm_dgrad is dx[m,k] = dy[m,n] W[n,k], gemm_wgrad is dW[n,k] = dy[m,n]^T x[m,k].
/// In e4m3 both operands lie with the dimension that is summed over fastest, whatever the
/// direction: operands.hpp.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

/// b sequences of s tokens, h heads of d elements; softmax(q k^T / sqrt(d)) v, no mask, no dropout.
struct AttentionShape {
  std::int64_t b = 0, h = 0, s = 0, d = 0;
  bool operator==(const AttentionShape&) const = default;
};

/// n images of c channels, h x w (batch norm).
struct ImageShape {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const ImageShape&) const = default;
};

/// Pooling of n images of c channels, h x w, with a window of r x r, stride u, padding p.
/// Global average pooling has r = h = w, u = 1, p = 0.
struct PoolShape {
  std::int64_t n = 0, c = 0, h = 0, w = 0, r = 0, u = 1, p = 0;
  bool operator==(const PoolShape&) const = default;
};

constexpr std::int64_t out_h(const PoolShape& s) { return (s.h + 2 * s.p - s.r) / s.u + 1; }
constexpr std::int64_t out_w(const PoolShape& s) { return (s.w + 2 * s.p - s.r) / s.u + 1; }

/// A matrix of m rows and n columns (layer norm, bias, bias gradient, cross-entropy).
struct MatrixShape {
  std::int64_t m = 0, n = 0;
  bool operator==(const MatrixShape&) const = default;
};

/// e elements.
struct ElementsShape {
  std::int64_t e = 0;
  bool operator==(const ElementsShape&) const = default;
};

/// e elements in t tensors, which one multi-tensor operation walks over.
struct TensorsShape {
  std::int64_t e = 0, t = 0;
  bool operator==(const TensorsShape&) const = default;
};

/// A copy from [a][b][c] to [b][a][c].
struct PermuteShape {
  std::int64_t a = 0, b = 0, c = 0;
  bool operator==(const PermuteShape&) const = default;
};

using Shape = std::variant<ConvShape, GemmShape, AttentionShape, ImageShape, PoolShape, MatrixShape,
                           ElementsShape, TensorsShape, PermuteShape>;

struct Op {
  Family family = Family::copy;
  Epilogue epilogue = Epilogue::none;
  Provider provider = Provider::cuda;
  DType in = DType::fp32;   // type of the main operand
  DType out = DType::fp32;  // type of the main result
  Layout layout = Layout::flat;
  Shape shape = ElementsShape{};

  bool operator==(const Op&) const = default;
};

constexpr std::string_view name(Family family) { return enum_name(kFamilyNames, family); }
constexpr std::string_view name(OpClass op_class) { return enum_name(kOpClassNames, op_class); }
constexpr std::string_view name(Provider provider) { return enum_name(kProviderNames, provider); }
constexpr std::string_view name(Layout layout) { return enum_name(kLayoutNames, layout); }
constexpr std::string_view name(Epilogue epilogue) { return enum_name(kEpilogueNames, epilogue); }

OpClass op_class(Family family);

/// `types` of the key: `bf16`, or `fp32-bf16` where input and output differ.
std::string types_text(const Op& op);

/// The op's identity, as in this file's head.
std::string key(const Op& op);

/// The op whose key this is; parse(key(op)) == op.
/// Errors: DataError that names the key and the part of it that is wrong.
Op parse(std::string_view key);

}  // namespace stepcast
