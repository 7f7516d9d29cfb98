// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tensors that an op reads and writes, in the order in which a plan is given their memory.

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "layers/op.hpp"

namespace stepcast {

enum class Role {
  input,    // read; filled before the op runs
  output,   // written in full by the op
  in_out,   // read and written
  derived,  // read; what the forward pass left behind. Plan::prepare() fills it from the inputs
};

enum class Fill {
  uniform,   // uniform in [-1, 1]
  positive,  // uniform in [0.5, 1.5]: variances, scales
  label,     // whole numbers, uniform in [0, limit)
  zero,
};

struct Operand {
  std::string name;
  DType type = DType::fp32;
  std::int64_t count = 0;  // elements, stored without gaps
  Role role = Role::input;
  Fill fill = Fill::uniform;
  std::int64_t limit = 0;  // for Fill::label
};

// clang-format off
/// The operands of an op, in order. Images are stored in op.layout (filters as KCRS in nchw, KRSC
/// in nhwc), matrices row-major, attention operands in op.layout, of which s, b, h and d are the
/// letters. H and W below are out_h and out_w. Statistics and parameters of norms are fp32; tf32 is
/// stored as fp32. Operands of e4m3 are stored with the dimension that is summed over fastest, as the
/// FP8 products of sm_89 and sm_90 want both; Transformer Engine keeps transposed copies for it:
/// x[m,k] w[n,k] in gemm_fprop, dy[m,n] w[k,n] in gemm_dgrad, dy[n,m] x[k,m] in gemm_wgrad.
///
///   conv_fprop        x[n,c,h,w] w[k,c/g,r,s] -> y[n,k,H,W]
///   conv_dgrad        dy w -> dx
///   conv_wgrad        dy x -> dw
///   gemm_fprop        x[m,k] w[n,k] (bias[n] if bias, bias_gelu) -> y[m,n]
///                     (aux[m,n] if bias_gelu: x W^T + bias)
///   gemm_dgrad        dy[m,n] w[n,k] (aux[m,k] if dgelu) -> dx[m,k]
///   gemm_wgrad        dy[m,n] x[m,k] -> dw[n,k] (dbias[n] if bgrad)
///   attention_fwd     q k v [b,s,h,d] -> o, stats fp32 [b,h,s] (log of the sum of exponentials)
///   attention_bwd     q k v do, derived o stats -> dq dk dv
///   batchnorm_fwd     x, gamma beta fp32 [c], (z like x if add_relu), in_out running_mean
///                     running_var fp32 [c] -> y, save_mean save_invstd fp32 [c]
///   batchnorm_bwd     dy x, gamma save_mean save_invstd fp32 [c], (y like x if relu, add_relu) ->
///                     dx, dgamma dbeta fp32 [c], (dz like x if add_relu)
///   layernorm_fwd     x[m,n], gamma beta fp32 [n] -> y[m,n], mean invstd fp32 [m]
///   layernorm_bwd     dy x, gamma fp32 [n], mean invstd fp32 [m] -> dx, dgamma dbeta fp32 [n]
///   relu_fwd gelu_fwd x -> y
///   relu_bwd          dy y -> dx        (y: the forward result)
///   gelu_bwd          dy x -> dx        (x: the forward input)
///   add               a (type in) b (type out) -> y (type out)
///   cast              x -> y
///   copy              x -> y
///   scale             x -> y = x / 2    (a power of two: exact)
///   zero              -> y
///   increment         in_out y += 1     (int64)
///   permute           x[a,b,c] -> y[b,a,c]
///   bias_add          in_out y[m,n], bias[n]
///   bias_grad         dy[m,n] -> dbias[n]
///   maxpool_fwd       x -> y, index (native: int64 place in the h x w plane, cuda: uint8 place in
///                     the window)
///   maxpool_bwd       dy, x, derived index -> dx   (x is read by prepare() alone)
///   avgpool_fwd       x -> y
///   avgpool_bwd       dy -> dx
///   cross_entropy_fwd logits[m,n] label int64 [m] -> logprob fp32 [m,n], loss fp32 [1] (mean over
///                     m)
///   cross_entropy_bwd logits label int64 [m], derived logprob fp32 [m,n] -> dlogits[m,n]
///                     (logits is read by prepare() alone)
///   sgd               in_out weight[e], gradient[e], in_out momentum[e], all fp32; lr 0.1,
///                     momentum 0.9
///   unscale           in_out gradient[e] fp32, in_out found_inf fp32 [1]; multiplies by 1/1024
// clang-format on
std::vector<Operand> operands(const Op& op);

}  // namespace stepcast
