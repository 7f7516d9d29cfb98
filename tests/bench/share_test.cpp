// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/share.hpp"

#include <gtest/gtest.h>

#include <array>

namespace stepcast {
namespace {

CeilingRow ceiling(const char* name, const char* dtype, double value) {
  CeilingRow row;
  row.name = name;
  row.dtype = dtype;
  row.value = value;
  return row;
}

Op copy_op() {
  Op op;
  op.provider = Provider::cuda;
  op.shape = ElementsShape{1000};  // 8000 bytes
  return op;
}

Op gemm_op(std::int64_t k) {
  Op op;
  op.family = Family::gemm_fprop;
  op.provider = Provider::cublaslt;
  op.in = op.out = DType::bf16;
  op.layout = Layout::row;
  op.shape = GemmShape{100, 100, k};
  return op;
}

const std::array kCeilings{ceiling("copy_bandwidth", "fp32", 1e9),
                           ceiling("matrix_rate", "bf16", 1e12)};

TEST(ShareOfCeiling, CopyIsHeldAgainstTheBandwidth) {
  const auto share = share_of_ceiling(kCeilings, std::array{copy_op()}, Seconds(16e-6));
  ASSERT_TRUE(share.has_value());
  EXPECT_DOUBLE_EQ(*share, 0.5);  // 8 us at 1 GB/s
}

TEST(ShareOfCeiling, LargeProductIsHeldAgainstTheMatrixRate) {
  // 2 * 100 * 100 * 1e6 FLOP are 20 ms at 1 TFLOP/s; 2 * (1e8 + 1e8 + 1e4) bytes are 400.02 ms.
  const auto slow_memory = share_of_ceiling(kCeilings, std::array{gemm_op(1000000)}, Seconds(1));
  ASSERT_TRUE(slow_memory.has_value());
  EXPECT_DOUBLE_EQ(*slow_memory, 0.40002);
  const std::array fast{ceiling("copy_bandwidth", "fp32", 1e12),
                        ceiling("matrix_rate", "bf16", 1e12)};
  const auto compute = share_of_ceiling(fast, std::array{gemm_op(1000000)}, Seconds(0.04));
  ASSERT_TRUE(compute.has_value());
  EXPECT_DOUBLE_EQ(*compute, 0.5);
}

TEST(ShareOfCeiling, OpsOfABlockAddUp) {
  const auto share = share_of_ceiling(kCeilings, std::array{copy_op(), copy_op()}, Seconds(16e-6));
  ASSERT_TRUE(share.has_value());
  EXPECT_DOUBLE_EQ(*share, 1.0);
}

TEST(ShareOfCeiling, MissingCeilingGivesNoShare) {
  const std::array only_copy{ceiling("copy_bandwidth", "fp32", 1e9)};
  EXPECT_FALSE(share_of_ceiling(only_copy, std::array{gemm_op(8)}, Seconds(1)).has_value());
  EXPECT_FALSE(share_of_ceiling({}, std::array{copy_op()}, Seconds(1)).has_value());
}

}  // namespace
}  // namespace stepcast
