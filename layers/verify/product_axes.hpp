// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Convolutions and linear layers as products.

#include <vector>

#include "layers/op.hpp"
#include "layers/verify/axis.hpp"

namespace stepcast {

/// The products that make the result of a convolution: one, but for a data gradient with stride u,
/// which u x u products make, each for the elements that the same taps of the filter reach.
std::vector<ProductAxes> conv_products(const Op& op);

/// y[m,n] = x[m,k] w[n,k]^T, dx[m,k] = dy[m,n] w[n,k], dw[n,k] = dy[m,n]^T x[m,k]; in e4m3 w of
/// gemm_dgrad and both operands of gemm_wgrad are stored the other way round (operands.hpp).
ProductAxes gemm_product(const Op& op);

}  // namespace stepcast
