// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/bound.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"

namespace stepcast {
namespace {

CeilingRow row(const std::string& name, const std::string& dtype, double value) {
  return {name, dtype, "", value, 0, "r", ""};
}

const Op kGemm{Family::gemm_fprop, Epilogue::none, Provider::cublaslt,         DType::bf16,
               DType::bf16,        Layout::row,    GemmShape{1000, 1000, 1000}};
const Op kCast{Family::cast, Epilogue::none, Provider::native,      DType::fp32,
               DType::bf16,  Layout::flat,   ElementsShape{1000000}};

TEST(Bound, AMatrixProductOfManyReusesIsHeldAgainstTheMatrixRate) {
  // 2 GFLOP at 1 TFLOP/s is 2 ms; three matrices of 2 MB at 1 TB/s are 6 us.
  const std::vector<CeilingRow> rows{row("copy_bandwidth", "", 1e12),
                                     row("matrix_rate", "bf16", 1e12)};
  EXPECT_DOUBLE_EQ(bound(kGemm, cost(kGemm), Ceilings(rows)).count(), 2e-3);
}

TEST(Bound, TrafficDecidesWhereItTakesLonger) {
  // The same 6 MB at 1 GB/s are 6 ms.
  const std::vector<CeilingRow> rows{row("copy_bandwidth", "", 1e9),
                                     row("matrix_rate", "bf16", 1e12)};
  EXPECT_DOUBLE_EQ(bound(kGemm, cost(kGemm), Ceilings(rows)).count(), 6e-3);
}

TEST(Bound, ACastIsItsBytesOverCopyBandwidth) {
  // A million elements, 4 bytes read and 2 written.
  const std::vector<CeilingRow> rows{row("copy_bandwidth", "fp32", 3e12)};
  EXPECT_DOUBLE_EQ(bound(kCast, cost(kCast), Ceilings(rows)).count(), 2e-6);
}

TEST(Bound, TheRateOfAnotherPrecisionDoesNotServe) {
  const std::vector<CeilingRow> rows{row("copy_bandwidth", "", 1e12),
                                     row("matrix_rate", "fp16", 1e12)};
  try {
    bound(kGemm, cost(kGemm), Ceilings(rows));
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "ceilings.csv: matrix_rate of bf16 was not measured");
  }
}

TEST(Bound, WithoutCopyBandwidthThereIsNoBound) {
  EXPECT_THROW(bound(kCast, cost(kCast), Ceilings({})), DataError);
}

}  // namespace
}  // namespace stepcast
