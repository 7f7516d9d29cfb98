// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reference of each family. Indices run over the letters of the family's shape; H and W are the
// output's height and width.

#include "layers/op.hpp"
#include "tests/reference/named_tensors.hpp"

namespace stepcast {

/// With i = H u + r - p and j = W u + s - p inside the image, and c counted within k's group:
///   fprop  y[n,k,H,W]  = sum over c, r, s of x[n,c,i,j] w[k,c,r,s]
///   dgrad  dx[n,c,i,j] = sum over k, H, W of dy[n,k,H,W] w[k,c,r,s]
///   wgrad  dw[k,c,r,s] = sum over n, H, W of dy[n,k,H,W] x[n,c,i,j]
void reference_conv(const Op& op, const ConvShape& shape, NamedTensors& tensors);

///   fprop  y = x w^T; bias: y = x w^T + bias; bias_gelu: aux = x w^T + bias, y = gelu(aux)
///   dgrad  dx = dy w; dgelu: dx = (dy w) gelu'(aux)
///   wgrad  dw = dy^T x; bgrad: also dbias[n] = sum over m of dy[m,n]
/// GELU has the error function here, as in PyTorch; cuBLASLt's has a tanh, for which its plans'
/// tests put the tanh form in the place of this one.
void reference_gemm(const Op& op, const GemmShape& shape, NamedTensors& tensors);

/// With a[i,j] = q[i] k[j] / sqrt(d) in each batch and head:
///   fwd  stats[i] = log sum over j of exp a[i,j]; p[i,j] = exp(a[i,j] - stats[i]); o = p v
///   bwd  da[i,j] = p[i,j] (do[i] v[j] - do[i] o[i]); dq = da k / sqrt(d); dk = da^T q / sqrt(d);
///        dv = p^T do
void reference_attention(const Op& op, const AttentionShape& shape, NamedTensors& tensors);

/// o and stats of a backward op, from q, k, v.
void derive_attention(const Op& op, const AttentionShape& shape, NamedTensors& tensors);

/// Over the N = n h w values of each channel, with eps 1e-5 and momentum 0.1:
///   fwd  save_mean = mean x; var = mean (x - mean)^2; save_invstd = 1 / sqrt(var + eps);
///        y = (x - mean) invstd gamma + beta; add_relu adds z; relu and add_relu take max(y, 0);
///        running_mean = 0.9 running_mean + 0.1 mean;
///        running_var = 0.9 running_var + 0.1 var N / (N - 1)
///   bwd  g = dy, or dy where y > 0 and 0 elsewhere if relu or add_relu; x^ = (x - mean) invstd;
///        dbeta = sum g; dgamma = sum g x^; dx = gamma invstd (g - dbeta / N - x^ dgamma / N);
///        dz = g if add_relu
/// Errors:  DataError in the forward pass if N is 1, which has no unbiased variance.
void reference_batchnorm(const Op& op, const ImageShape& shape, NamedTensors& tensors);

/// Over the n values of each row, with eps 1e-6:
///   fwd  mean, var and invstd as above; y = (x - mean) invstd gamma + beta
///   bwd  x^ = (x - mean) invstd; g = dy gamma; dx = invstd (g - mean g - x^ mean(g x^));
///        dgamma = sum over m of dy x^; dbeta = sum over m of dy
void reference_layernorm(const Op& op, const MatrixShape& shape, NamedTensors& tensors);

///   relu_fwd   y = max(x, 0)            relu_bwd  dx = dy where y > 0, 0 elsewhere
///   gelu_fwd   y = gelu(x)              gelu_bwd  dx = dy gelu'(x)
///   add        y = a + b                scale     y = x / 2
///   cast copy  y = x                    zero      y = 0
///   increment  y = y + 1
void reference_elementwise(const Op& op, NamedTensors& tensors);

///   permute    y[b,a,c] = x[a,b,c]
void reference_permute(const PermuteShape& shape, NamedTensors& tensors);

///   bias_add   y[m,n] = y[m,n] + bias[n]
///   bias_grad  dbias[n] = sum over m of dy[m,n]
void reference_bias(const Op& op, const MatrixShape& shape, NamedTensors& tensors);

/// Windows of r x r places that begin at (H u - p, W u - p).
///   maxpool_fwd  y = the largest value inside the image, index = its place (the first of several;
///                NaN wins)
///   maxpool_bwd  dx = sum of the dy whose index names the place
///   avgpool_fwd  y = sum / r^2: padding counts as zeros
///   avgpool_bwd  dx = sum of dy / r^2 over the windows that hold the place
void reference_pool(const Op& op, const PoolShape& shape, NamedTensors& tensors);

/// index of a backward op, from x.
void derive_maxpool(const Op& op, const PoolShape& shape, NamedTensors& tensors);

///   fwd  logprob[m,n] = logits[m,n] - log sum over n of exp logits[m,n];
///        loss = -(mean over m of logprob[m,label[m]])
///   bwd  dlogits[m,n] = (exp logprob[m,n] - (n == label[m])) / M, M the number of rows
void reference_cross_entropy(const Op& op, const MatrixShape& shape, NamedTensors& tensors);

/// logprob of a backward op, from logits.
void derive_cross_entropy(const MatrixShape& shape, NamedTensors& tensors);

///   sgd      v = 0.9 v + gradient; weight = weight - 0.1 v
///   unscale  gradient = gradient / 1024; found_inf = 1 if a gradient is not finite, else unchanged
void reference_optimizer(const Op& op, NamedTensors& tensors);

}  // namespace stepcast
