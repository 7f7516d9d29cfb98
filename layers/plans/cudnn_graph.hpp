// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plans of cuDNN's graph API. Its frontend is 17 000 lines of headers, which cudnn_graph.cpp alone
// includes; the families above describe their tensors in the words of this file.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {

/// A tensor of a graph, and where it lies.
struct GraphTensor {
  std::string name;
  DType type = DType::fp32;
  std::vector<std::int64_t> sizes;    // n c h w, k c/g r s, or b h s d
  std::vector<std::int64_t> strides;  // in elements, in the order of sizes
  void* memory = nullptr;
};

/// Candidates of the plans below are the engines that cuDNN's heuristics name in mode A, then B,
/// then its fallback list, each once, without those that cannot run or need more workspace than
/// allowed; select() builds them. Engines that round their inputs down are left out for every type,
/// and for fp32 those with tensor cores, which would multiply in TF32. An fp32 tensor of type tf32
/// allows these. bind() takes the memory of `tensors`, in their order.
///
/// Errors:  the reason names the tensors, the first of the engines that were offered, their number,
///          and the last refusal.
///          LibraryError for a lost device.

/// `tensors` are the operands of the op: x w y, dy w dx or dy x dw.
PlanOrReason make_conv_graph(const Libraries& libraries, const Op& op,
                             const std::array<GraphTensor, 3>& tensors, const PlanOptions& options);

/// o = softmax(scale q k^T) v; `tensors` are q k v o stats. Stats is the logarithm of the sum of
/// exponentials, fp32, with d = 1.
PlanOrReason make_attention_forward_graph(const Libraries& libraries,
                                          const std::array<GraphTensor, 5>& tensors, double scale,
                                          const PlanOptions& options);

/// Gradients of the above; `tensors` are q k v do o stats dq dk dv.
PlanOrReason make_attention_backward_graph(const Libraries& libraries,
                                           const std::array<GraphTensor, 9>& tensors, double scale,
                                           const PlanOptions& options);

}  // namespace stepcast
