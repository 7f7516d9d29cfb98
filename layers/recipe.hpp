// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recipe: a model, precision, layout and batch become the step's ops in the order in which the
// compute stream runs them on one rank.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"
#include "core/enum_names.hpp"
#include "layers/model.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// eager: what PyTorch eager with autocast and DDP launches. fused: the least that the libraries
/// allow.
enum class RecipeKind { eager, fused };

inline constexpr EnumNames<RecipeKind, 2> kRecipeNames{
    {{RecipeKind::eager, "eager"}, {RecipeKind::fused, "fused"}}};

enum class Phase {
  forward,
  backward,
  finalize,   // DDP's copies out of the buckets, after each bucket's allreduce
  optimizer,  // unscale, optimizer
};

inline constexpr EnumNames<Phase, 4> kPhaseNames{{{Phase::forward, "forward"},
                                                  {Phase::backward, "backward"},
                                                  {Phase::finalize, "finalize"},
                                                  {Phase::optimizer, "optimizer"}}};

struct RecipeOptions {
  RecipeKind kind = RecipeKind::eager;
  DType precision = DType::bf16;  // fp32, tf32, fp16 or bf16
  Layout layout = Layout::nhwc;   // nchw or nhwc; ViT's images are nchw in eager
  std::int64_t batch = 128;       // images on this rank
  bool ddp = true;                // with DDP's copies and buffer broadcast
};

/// An op at its place in the step.
struct PlacedOp {
  Op op;
  std::string layer;  // layer3.7.conv2; "optimizer", "input", "ddp" for what belongs to no layer
  std::string
      role;  // fprop, dgrad, wgrad, fwd, bwd; cast_weight, cast_grad, bias_grad, copy_in, ...
  Phase phase = Phase::forward;
  std::int64_t count = 1;           // times that the op runs here, back to back
  std::vector<std::int64_t> ready;  // parameters (indices into Model::parameters) whose gradient is
                                    // in its bucket when this op has run
};

/// The step's ops in order. In finalize, `ready` names the parameters that the copy belongs to.
/// Errors: DataError if the model cannot be run so (layout or precision).
std::vector<PlacedOp> step_ops(const Model& model, const RecipeOptions& options);

/// The place's benchmark name without the model: layer3.7.conv2/fprop/cudnn/bf16/nhwc/n128. The
/// model's precision and layout stand there, whatever the op's own types and layout are; the name
/// is unique within (model, recipe, precision, layout, batch).
std::string place_name(const PlacedOp& placed, const RecipeOptions& options);

}  // namespace stepcast
