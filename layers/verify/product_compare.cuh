// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products whose results are compared as they come, or summed up first: for each type of factor one
// kernel, which convolutions and matrix products share.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "layers/verify/product.cuh"
#include "layers/verify/tally.cuh"

namespace stepcast {

enum class Finish { none, bias, bias_gelu, dgelu };

/// What becomes of a sum before it is compared: none; plus bias[column]; GELU of that; or times
/// GELU's derivative at aux, which lies where the result does.
struct Finishing {
  Finish finish = Finish::none;
  bool tanh_form = false;
  const void* memory = nullptr;  // of bias or aux
  DType type = DType::fp32;
};

/// Compares the operand `name` with the product. Both factors are of the op's type `in`.
void compare_product(const VerifyCase& checked, const ProductAxes& axes, std::string_view name,
                     const Finishing& finishing = {});

/// As above, for a long sum of which there are few: the depth is split among blocks, whose sums
/// meet in double in memory of the operand's size.
void compare_long_product(const VerifyCase& checked, const ProductAxes& axes,
                          std::string_view name);

/// Compares an operand, element by element, with what it should be.
void compare_sums(const VerifyCase& checked, const double* want, std::string_view name);

}  // namespace stepcast
