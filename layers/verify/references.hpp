// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reference of each family, computed on the device in double and compared element by element
// as it comes: nothing is stored but sums. verify() chooses among them. The equations are those of
// tests/reference/families.hpp.

#include <cuda_runtime_api.h>

#include <span>

#include "layers/op.hpp"

namespace stepcast {

class Tally;  // layers/verify/tally.cuh: counts on the device what is compared and what is wrong

/// What a reference works on; see verify().
struct VerifyCase {
  const Op& op;
  std::span<void* const> buffers;
  std::span<void* const> initial;
  cudaStream_t stream;
  Tally& tally;
};

void verify_conv(const VerifyCase& checked);
void verify_gemm(const VerifyCase& checked);
void verify_attention(const VerifyCase& checked);
void verify_batchnorm(const VerifyCase& checked);
void verify_layernorm(const VerifyCase& checked);
void verify_elementwise(
    const VerifyCase& checked);  // relu, gelu, add, cast, copy, scale, zero, increment
void verify_permute(const VerifyCase& checked);
void verify_bias(const VerifyCase& checked);
void verify_pool(const VerifyCase& checked);
void verify_cross_entropy(const VerifyCase& checked);
void verify_optimizer(const VerifyCase& checked);  // sgd, unscale

}  // namespace stepcast
