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
GraphTensor tensor(const Op& op, const char* name, const std::array<std::int64_t, 4>& sizes,
                   void* memory) {
  const auto [n, c, h, w] = sizes;
  GraphTensor result{name, op.in, {n, c, h, w}, {c * h * w, h * w, w, 1}, memory};
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
  if (op.family == Family::conv_fprop) {
    return make_conv_graph(libraries, op,
                           {tensor(op, "x", x, buffers[0]), tensor(op, "w", w, buffers[1]),
                            tensor(op, "y", y, buffers[2])},
                           options);
  }
  if (op.family == Family::conv_dgrad) {
    return make_conv_graph(libraries, op,
                           {tensor(op, "dy", y, buffers[0]), tensor(op, "w", w, buffers[1]),
                            tensor(op, "dx", x, buffers[2])},
                           options);
  }
  return make_conv_graph(libraries, op,
                         {tensor(op, "dy", y, buffers[0]), tensor(op, "x", x, buffers[1]),
                          tensor(op, "dw", w, buffers[2])},
                         options);
}

}  // namespace stepcast
