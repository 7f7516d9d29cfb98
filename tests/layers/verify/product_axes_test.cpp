// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/product_axes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reference/fill.hpp"
#include "tests/reference/reference.hpp"

namespace stepcast {
namespace {

double element(const FactorAxes& axes, const std::vector<double>& values, std::int64_t batch,
               std::int64_t outer, std::int64_t depth) {
  const Place i = place(axes.outer, outer, axes.outer.size);
  const Place k = place(axes.depth, depth, axes.depth.size);
  const int row = i.row + k.row;
  const int column = i.column + k.column;
  if (row < 0 || row >= axes.height || column < 0 || column >= axes.width) return 0;
  return values.at(
      static_cast<std::size_t>(i.at + k.at + place(axes.batch, batch, axes.batch.size).at));
}

/// Adds the product to `sums`, and counts in `visits` how often each element is made.
void multiply(const ProductAxes& axes, const Tensors& tensors, std::vector<double>& sums,
              std::vector<int>& visits) {
  const Result& result = axes.result;
  for (std::int64_t batch = 0; batch < result.batch.size; ++batch) {
    for (std::int64_t i = 0; i < result.row.size; ++i) {
      for (std::int64_t j = 0; j < result.column.size; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < axes.a.depth.size; ++k) {
          sum += element(axes.a, tensors[axes.operand_a], batch, i, k) *
                 element(axes.b, tensors[axes.operand_b], batch, j, k);
        }
        const auto at = static_cast<std::size_t>(place(result.row, i, result.row.size).at +
                                                 place(result.column, j, result.column.size).at +
                                                 place(result.batch, batch, result.batch.size).at);
        sums.at(at) += sum;
        ++visits.at(at);
      }
    }
  }
}

void expect_products(const std::string& key) {
  SCOPED_TRACE(key);
  const Op op = parse(key);
  Tensors tensors = filled(op, 7);
  reference(op, tensors);
  const std::vector<double>& want = tensors[2];
  std::vector<double> sums(want.size());
  std::vector<int> visits(want.size());
  const bool gemm = op_class(op.family) == OpClass::gemm;
  const auto products = gemm ? std::vector{gemm_product(op)} : conv_products(op);
  for (const ProductAxes& axes : products) {
    EXPECT_EQ(axes.a.depth.size, axes.b.depth.size);
    EXPECT_EQ(axes.a.outer.size, axes.result.row.size);
    EXPECT_EQ(axes.b.outer.size, axes.result.column.size);
    EXPECT_EQ(axes.a.batch.size, axes.result.batch.size);
    EXPECT_EQ(axes.b.batch.size, axes.result.batch.size);
    multiply(axes, tensors, sums, visits);
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(visits[i], 1) << i;
    ASSERT_NEAR(sums[i], want[i], 1e-12) << i;
  }
}

TEST(ProductAxes, ConvolutionsMatchTheReference) {
  for (const char* family : {"conv_fprop", "conv_dgrad", "conv_wgrad"}) {
    for (const char* layout : {"nchw", "nhwc"}) {
      for (const char* shape :
           {"n2c3h5w6k4r3s3u1p1", "n2c3h7w5k2r3s3u2p1", "n1c2h9w8k3r7s7u2p3", "n2c4h4w5k6r1s1u1p0",
            "n2c4h5w6k3r1s1u2p0", "n1c6h6w5k4r3s3u1p1g2", "n2c4h7w7k8r3s3u2p1g4",
            "n1c2h8w11k2r4s2u3p1", "n1c2h6w4k2r4s2u1p0", "n1c1h9w9k1r2s2u4p1"}) {
        expect_products(fmt::format("{}/cudnn/fp32/{}/{}", family, layout, shape));
      }
    }
  }
}

TEST(ProductAxes, LinearLayersMatchTheReference) {
  for (const char* family : {"gemm_fprop", "gemm_dgrad", "gemm_wgrad"}) {
    for (const char* types : {"fp32", "e4m3-bf16"}) {
      expect_products(fmt::format("{}/cublaslt/{}/row/m5n7k3", family, types));
    }
  }
}

TEST(ProductAxes, IndicesFromTheEndOnAreOutside) {
  EXPECT_EQ(place(make_axis({4, 10}), 3, 4).at, 30);
  EXPECT_EQ(place(make_axis({4, 10}), 3, 4).row, 0);
  EXPECT_EQ(place(make_axis({4, 10}), 4, 4).row, kOutside);
}

}  // namespace
}  // namespace stepcast
