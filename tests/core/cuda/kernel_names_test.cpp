// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/kernel_names.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "core/cuda/libraries.hpp"
#include "tests/core/cuda/gpu_test.hpp"
#include "tests/core/cuda/spin_kernels.hpp"

namespace stepcast {
namespace {

using Names = std::vector<std::string>;

constexpr std::int64_t kSpin = 200'000;  // ns; a launch takes a hundredth of it
constexpr const char* kPlain = "stepcast::testing::spinTest";
constexpr const char* kConversion = "stepcast::testing::nchwToNhwcTest<float>";

/// Whether work still runs on the stream, and no error is left behind.
void expect_usable(cudaStream_t stream) {
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  testing::spin(1000, stream);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

class KernelNames : public testing::GpuTest {};

TEST_F(KernelNames, AreThoseOfTheWorkInOrder) {
  const DeviceBuffer<char> a(1 << 20);
  const DeviceBuffer<char> b(1 << 20);
  const auto names = kernel_names([&](cudaStream_t stream) {
    testing::spin(1000, stream);
    check(cudaMemsetAsync(a.data(), 1, a.bytes(), stream), "setting");
    testing::spin_as_conversion(1000, stream);
    check(cudaMemcpyAsync(b.data(), a.data(), a.bytes(), cudaMemcpyDeviceToDevice, stream),
          "copying");
    testing::spin(1000, stream);
  });
  EXPECT_EQ(names, (Names{kPlain, "memset", kConversion, "memcpy", kPlain}));
}

TEST_F(KernelNames, WorkOfNoKernelsHasNone) {
  const Stream stream = make_stream();
  const KernelCensus counted = census([](cudaStream_t) {}, stream.get());
  EXPECT_EQ(counted.kernels, Names{});
  EXPECT_EQ(counted.conversion_share, 0);
  EXPECT_EQ(counted.reason, "");
}

TEST_F(KernelNames, ConversionsHaveTheirShareOfTheTime) {
  const Stream stream = make_stream();
  const KernelCensus counted = census(
      [](cudaStream_t on) {
        testing::spin_as_conversion(3 * kSpin, on);
        testing::spin(kSpin, on);
      },
      stream.get());
  EXPECT_EQ(counted.reason, "");
  EXPECT_EQ(counted.kernels, (Names{kConversion, kPlain}));
  EXPECT_NEAR(counted.conversion_share, 0.75, 0.03);
  expect_usable(stream.get());
}

TEST_F(KernelNames, WorkWithoutConversionsHasNoShareOfThem) {
  const Stream stream = make_stream();
  const KernelCensus counted =
      census([](cudaStream_t on) { testing::spin(kSpin, on); }, stream.get());
  EXPECT_EQ(counted.kernels, Names{kPlain});
  EXPECT_EQ(counted.conversion_share, 0);
}

TEST_F(KernelNames, WorkOfConversionsAloneIsAllShare) {
  const Stream stream = make_stream();
  const KernelCensus counted =
      census([](cudaStream_t on) { testing::spin_as_conversion(kSpin, on); }, stream.get());
  EXPECT_NEAR(counted.conversion_share, 1, 0.03);
}

TEST_F(KernelNames, WorkThatWaitsCannotBeCapturedAndSaysSo) {
  const Stream stream = make_stream();
  const KernelCensus counted = census(
      [](cudaStream_t on) {
        testing::spin(1000, on);
        check(cudaStreamSynchronize(on), "waiting in the work");
      },
      stream.get());
  EXPECT_EQ(counted.kernels, Names{});
  EXPECT_NE(counted.reason.find("waiting in the work"), std::string::npos) << counted.reason;
  expect_usable(stream.get());
}

TEST_F(KernelNames, WorkThatHidesItsErrorCannotBeCapturedEither) {
  const Stream stream = make_stream();
  const KernelCensus counted =
      census([](cudaStream_t on) { cudaStreamSynchronize(on); }, stream.get());
  EXPECT_EQ(counted.kernels, Names{});
  EXPECT_NE(counted.reason, "");
  expect_usable(stream.get());
}

TEST_F(KernelNames, WorkThatThrowsLeavesTheStreamUsable) {
  const Stream stream = make_stream();
  const KernelCensus counted = census(
      [first = true](cudaStream_t on) mutable {
        testing::spin(1000, on);
        if (!first) throw std::runtime_error("broken");
        first = false;
      },
      stream.get());
  EXPECT_EQ(counted.kernels, Names{});
  EXPECT_EQ(counted.reason, "broken");
  expect_usable(stream.get());
}

TEST_F(KernelNames, TheDefaultStreamCannotBeCaptured) {
  const KernelCensus counted = census([](cudaStream_t on) { testing::spin(1000, on); }, nullptr);
  EXPECT_EQ(counted.kernels, Names{});
  EXPECT_NE(counted.reason, "");
  expect_usable(nullptr);
}

}  // namespace
}  // namespace stepcast
