// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/product_axes.hpp"
#include "layers/verify/product_compare.cuh"

namespace stepcast {

void verify_conv(const VerifyCase& checked) {
  for (const ProductAxes& product : conv_products(checked.op)) {
    switch (checked.op.family) {
      case Family::conv_fprop:
        compare_product(checked, product, "y");
        break;
      case Family::conv_dgrad:
        compare_product(checked, product, "dx");
        break;
      default:
        compare_long_product(checked, product, "dw");
    }
  }
}

}  // namespace stepcast
