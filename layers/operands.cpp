// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/operands.hpp"

#include <utility>

namespace stepcast {
namespace {

/// Collects an op's operands in order; `in` and `out` stand for the op's own two types.
class Operands {
 public:
  explicit Operands(const Op& op) : in_(storage(op.in)), out_(storage(op.out)) {}

  Operands& in(std::string name, std::int64_t count) {
    return add(std::move(name), in_, count, Role::input);
  }
  Operands& out(std::string name, std::int64_t count) {
    return add(std::move(name), out_, count, Role::output);
  }
  /// Statistics and parameters that stay in fp32 whatever the op's types are.
  Operands& fp32(std::string name, std::int64_t count, Role role, Fill fill = Fill::uniform) {
    return add(std::move(name), DType::fp32, count, role, fill);
  }
  /// Whole-number types hold whole numbers that every other type can hold too.
  Operands& add(std::string name, DType type, std::int64_t count, Role role,
                Fill fill = Fill::uniform, std::int64_t limit = 0) {
    if (fill == Fill::uniform && (type == DType::int64 || type == DType::uint8)) {
      fill = Fill::label;
      limit = 256;
    }
    list_.push_back({std::move(name), type, count, role, fill, limit});
    return *this;
  }

  [[nodiscard]] DType in_type() const { return in_; }
  [[nodiscard]] DType out_type() const { return out_; }
  std::vector<Operand> take() { return std::move(list_); }

 private:
  DType in_, out_;
  std::vector<Operand> list_;
};

void conv(const Op& op, const ConvShape& s, Operands& list) {
  const std::int64_t x = s.n * s.c * s.h * s.w;
  const std::int64_t w = s.k * (s.c / s.g) * s.r * s.s;
  const std::int64_t y = s.n * s.k * out_h(s) * out_w(s);
  if (op.family == Family::conv_fprop) list.in("x", x).in("w", w).out("y", y);
  if (op.family == Family::conv_dgrad) list.in("dy", y).in("w", w).out("dx", x);
  if (op.family == Family::conv_wgrad) list.in("dy", y).in("x", x).out("dw", w);
}

void gemm(const Op& op, const GemmShape& s, Operands& list) {
  if (op.family == Family::gemm_fprop) {
    const bool gelu = op.epilogue == Epilogue::bias_gelu;
    list.in("x", s.m * s.k).in("w", s.n * s.k);
    if (gelu || op.epilogue == Epilogue::bias) list.in("bias", s.n);
    list.out("y", s.m * s.n);
    if (gelu) list.out("aux", s.m * s.n);
  } else if (op.family == Family::gemm_dgrad) {
    list.in("dy", s.m * s.n).in("w", s.n * s.k);
    if (op.epilogue == Epilogue::dgelu) list.in("aux", s.m * s.k);
    list.out("dx", s.m * s.k);
  } else {
    list.in("dy", s.m * s.n).in("x", s.m * s.k).out("dw", s.n * s.k);
    if (op.epilogue == Epilogue::bgrad) list.out("dbias", s.n);
  }
}

void attention(const Op& op, const AttentionShape& s, Operands& list) {
  const std::int64_t tokens = s.b * s.s * s.h * s.d;
  const std::int64_t rows = s.b * s.h * s.s;
  list.in("q", tokens).in("k", tokens).in("v", tokens);
  if (op.family == Family::attention_fwd) {
    list.out("o", tokens).fp32("stats", rows, Role::output);
  } else {
    list.in("do", tokens)
        .add("o", list.in_type(), tokens, Role::derived)
        .fp32("stats", rows, Role::derived)
        .out("dq", tokens)
        .out("dk", tokens)
        .out("dv", tokens);
  }
}

void batchnorm(const Op& op, const ImageShape& s, Operands& list) {
  const std::int64_t x = s.n * s.c * s.h * s.w;
  const bool relu = op.epilogue != Epilogue::none;
  const bool add = op.epilogue == Epilogue::add_relu;
  if (op.family == Family::batchnorm_fwd) {
    list.in("x", x).fp32("gamma", s.c, Role::input, Fill::positive).fp32("beta", s.c, Role::input);
    if (add) list.in("z", x);
    list.fp32("running_mean", s.c, Role::in_out)
        .fp32("running_var", s.c, Role::in_out, Fill::positive)
        .out("y", x)
        .fp32("save_mean", s.c, Role::output)
        .fp32("save_invstd", s.c, Role::output);
  } else {
    list.in("dy", x)
        .in("x", x)
        .fp32("gamma", s.c, Role::input, Fill::positive)
        .fp32("save_mean", s.c, Role::input)
        .fp32("save_invstd", s.c, Role::input, Fill::positive);
    if (relu) list.in("y", x);
    list.out("dx", x).fp32("dgamma", s.c, Role::output).fp32("dbeta", s.c, Role::output);
    if (add) list.out("dz", x);
  }
}

void layernorm(const Op& op, const MatrixShape& s, Operands& list) {
  if (op.family == Family::layernorm_fwd) {
    list.in("x", s.m * s.n)
        .fp32("gamma", s.n, Role::input, Fill::positive)
        .fp32("beta", s.n, Role::input)
        .out("y", s.m * s.n)
        .fp32("mean", s.m, Role::output)
        .fp32("invstd", s.m, Role::output);
  } else {
    list.in("dy", s.m * s.n)
        .in("x", s.m * s.n)
        .fp32("gamma", s.n, Role::input, Fill::positive)
        .fp32("mean", s.m, Role::input)
        .fp32("invstd", s.m, Role::input, Fill::positive)
        .out("dx", s.m * s.n)
        .fp32("dgamma", s.n, Role::output)
        .fp32("dbeta", s.n, Role::output);
  }
}

void elementwise(const Op& op, const ElementsShape& s, Operands& list) {
  switch (op.family) {
    case Family::relu_bwd:
      list.in("dy", s.e).in("y", s.e).out("dx", s.e);
      break;
    case Family::gelu_bwd:
      list.in("dy", s.e).in("x", s.e).out("dx", s.e);
      break;
    case Family::add:
      list.in("a", s.e).add("b", list.out_type(), s.e, Role::input).out("y", s.e);
      break;
    case Family::zero:
      list.out("y", s.e);
      break;
    case Family::increment:
      list.add("y", list.out_type(), s.e, Role::in_out);
      break;
    default:  // relu_fwd, gelu_fwd, cast, copy, scale
      list.in("x", s.e).out("y", s.e);
  }
}

void permute(const PermuteShape& s, Operands& list) {
  list.in("x", s.a * s.b * s.c).out("y", s.a * s.b * s.c);
}

void pool(const Op& op, const PoolShape& s, Operands& list) {
  const std::int64_t x = s.n * s.c * s.h * s.w;
  const std::int64_t y = s.n * s.c * out_h(s) * out_w(s);
  const DType index = op.provider == Provider::native ? DType::int64 : DType::uint8;
  if (op.family == Family::maxpool_fwd) {
    list.in("x", x).out("y", y).add("index", index, y, Role::output);
  } else if (op.family == Family::maxpool_bwd) {
    list.in("dy", y).in("x", x).add("index", index, y, Role::derived).out("dx", x);
  } else if (op.family == Family::avgpool_fwd) {
    list.in("x", x).out("y", y);
  } else {
    list.in("dy", y).out("dx", x);
  }
}

/// Bias, bias gradient and cross-entropy.
void matrix(const Op& op, const MatrixShape& s, Operands& list) {
  const std::int64_t count = s.m * s.n;
  if (op.family == Family::bias_add) {
    list.add("y", list.out_type(), count, Role::in_out).in("bias", s.n);
  } else if (op.family == Family::bias_grad) {
    list.in("dy", count).out("dbias", s.n);
  } else {
    list.in("logits", count).add("label", DType::int64, s.m, Role::input, Fill::label, s.n);
    if (op.family == Family::cross_entropy_fwd) {
      list.fp32("logprob", count, Role::output).fp32("loss", 1, Role::output);
    } else {
      list.fp32("logprob", count, Role::derived).out("dlogits", count);
    }
  }
}

void optimizer(const Op& op, const TensorsShape& s, Operands& list) {
  if (op.family == Family::sgd) {
    list.fp32("weight", s.e, Role::in_out)
        .fp32("gradient", s.e, Role::input)
        .fp32("momentum", s.e, Role::in_out);
  } else {
    list.fp32("gradient", s.e, Role::in_out).fp32("found_inf", 1, Role::in_out, Fill::zero);
  }
}

struct Collect {
  const Op& op;
  Operands& list;

  void operator()(const ConvShape& s) const { conv(op, s, list); }
  void operator()(const GemmShape& s) const { gemm(op, s, list); }
  void operator()(const AttentionShape& s) const { attention(op, s, list); }
  void operator()(const ImageShape& s) const { batchnorm(op, s, list); }
  void operator()(const PoolShape& s) const { pool(op, s, list); }
  void operator()(const ElementsShape& s) const { elementwise(op, s, list); }
  void operator()(const TensorsShape& s) const { optimizer(op, s, list); }
  void operator()(const PermuteShape& s) const { permute(s, list); }
  void operator()(const MatrixShape& s) const {
    const bool norm = op.family == Family::layernorm_fwd || op.family == Family::layernorm_bwd;
    norm ? layernorm(op, s, list) : matrix(op, s, list);
  }
};

}  // namespace

std::vector<Operand> operands(const Op& op) {
  Operands list(op);
  std::visit(Collect{op, list}, op.shape);
  return list.take();
}

}  // namespace stepcast
