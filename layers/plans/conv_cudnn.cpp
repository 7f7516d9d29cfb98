// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/conv_cudnn.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <variant>

#include "layers/plans/cudnn_graph.hpp"

namespace stepcast {
namespace {

/// Images n c h w and filters k c/g r s alike: in nhwc the second dimension is the fastest.
GraphTensor tensor(const Op& op, DType type, const char* name,
                   const std::array<std::int64_t, 4>& sizes, void* memory) {
  const auto [n, c, h, w] = sizes;
  GraphTensor result{name, type, {n, c, h, w}, {c * h * w, h * w, w, 1}, memory};
  if (op.layout == Layout::nhwc) result.strides = {c * h * w, 1, w * c, c};
  return result;
}

}  // namespace

PlanOrReason make_conv_cudnn(const Libraries& libraries, const Op& op,
                             std::span<void* const> buffers, const PlanOptions& options) {
  const auto& s = std::get<ConvShape>(op.shape);
  const std::array<std::int64_t, 4> x{s.n, s.c, s.h, s.w};
  const std::array<std::int64_t, 4> w{s.k, s.c / s.g, s.r, s.s};
  const std::array<std::int64_t, 4> y{s.n, s.k, out_h(s), out_w(s)};
  const auto plan = [&](const char* a_name, const auto& a, const char* b_name, const auto& b,
                        const char* result_name, const auto& result) {
    return make_conv_graph(
        libraries, op,
        {tensor(op, op.in, a_name, a, buffers[0]), tensor(op, op.in, b_name, b, buffers[1]),
         tensor(op, op.out, result_name, result, buffers[2])},
        options);
  };
  if (op.family == Family::conv_fprop) return plan("x", x, "w", w, "y", y);
  if (op.family == Family::conv_dgrad) return plan("dy", y, "w", w, "dx", x);
  return plan("dy", y, "x", x, "dw", w);
}

}  // namespace stepcast
