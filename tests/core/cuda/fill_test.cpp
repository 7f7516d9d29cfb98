// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/fill.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "tests/core/cuda/gpu_test.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kCount = 100000;

template <typename T, typename Fill>
std::vector<T> filled(const Fill& fill) {
  const DeviceBuffer<T> memory(kCount);
  fill(memory.data());
  std::vector<T> values(kCount);
  check(cudaMemcpy(values.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost),
        "reading what was filled");
  return values;
}

template <typename T>
std::vector<float> uniform(DType type, float low, float high, std::uint64_t seed) {
  const auto values = filled<T>(
      [&](void* memory) { fill_uniform(memory, type, kCount, low, high, seed, nullptr); });
  std::vector<float> result;
  for (const T value : values) result.push_back(static_cast<float>(value));
  return result;
}

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// `rounded`: share of the values that rounding may move across a quarter of the range.
void expect_uniform(const std::vector<float>& values, float low, float high, double rounded = 0) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, low);
  EXPECT_LE(*most, high);
  const double width = high - low;
  // The mean of 1e5 uniform values has a standard error of width / sqrt(12e5): 0.1 % of the width.
  EXPECT_NEAR(mean(values), (low + high) / 2.0, 0.005 * width);
  const auto below = std::count_if(values.begin(), values.end(),
                                   [&](float value) { return value < low + width / 4; });
  EXPECT_NEAR(static_cast<double>(below) / kCount, 0.25, 0.01 + rounded);
}

class Fills : public testing::GpuTest {};

TEST_F(Fills, UniformDataIsUniformInEveryType) {
  expect_uniform(uniform<float>(DType::fp32, -1, 1, 1), -1, 1);
  expect_uniform(uniform<float>(DType::tf32, -1, 1, 1), -1, 1);
  expect_uniform(uniform<__half>(DType::fp16, 0.5F, 1.5F, 1), 0.5F, 1.5F);
  expect_uniform(uniform<__nv_bfloat16>(DType::bf16, -1, 1, 1), -1, 1);
  // What lies within half a step of 1/16 outside of -0.5 becomes -0.5.
  expect_uniform(uniform<__nv_fp8_e4m3>(DType::e4m3, -1, 1, 1), -1, 1, 1.0 / 64);
}

TEST_F(Fills, SeedDecidesTheData) {
  EXPECT_EQ(uniform<float>(DType::fp32, -1, 1, 5), uniform<float>(DType::fp32, -1, 1, 5));
  EXPECT_NE(uniform<float>(DType::fp32, -1, 1, 5), uniform<float>(DType::fp32, -1, 1, 6));
}

TEST_F(Fills, LabelsTakeEveryValueBelowTheLimit) {
  const auto labels = filled<std::int64_t>(
      [](void* memory) { fill_labels(memory, DType::int64, kCount, 1000, 3, nullptr); });
  const std::set<std::int64_t> values(labels.begin(), labels.end());
  EXPECT_EQ(values.size(), 1000U);
  EXPECT_EQ(*values.begin(), 0);
  EXPECT_EQ(*values.rbegin(), 999);
}

TEST_F(Fills, ZerosAreZeros) {
  const auto values =
      filled<float>([](void* memory) { fill_zero(memory, DType::fp32, kCount, nullptr); });
  EXPECT_EQ(std::count(values.begin(), values.end(), 0.0F), kCount);
}

TEST(FillErrors, WholeNumbersAreNotFilledWithFractions) {
  EXPECT_EQ(testing::error_of<DataError>(
                [] { fill_uniform(nullptr, DType::int64, 1, 0, 1, 0, nullptr); }),
            "fill: int64 takes labels or zeros, no fractions");
  EXPECT_EQ(
      testing::error_of<DataError>([] { fill_labels(nullptr, DType::int64, 1, 0, 0, nullptr); }),
      "fill: labels below 0 do not exist");
}

}  // namespace
}  // namespace stepcast
