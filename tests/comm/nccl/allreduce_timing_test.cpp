// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/allreduce_timing.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "comm/nccl/allreduce_record.hpp"
#include "comm/nccl/exact_sum.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "core/error.hpp"
#include "tests/comm/nccl/devices.hpp"

namespace stepcast {
namespace {

class OneGpuAllreduce : public testing::NeedsDevices<1> {};

const AllreduceProtocol kShort{2, 5};

std::int64_t wrong_in(DType dtype, const void* data, std::int64_t count, int ranks) {
  DeviceBuffer<unsigned long long> wrong(1);
  check(cudaMemset(wrong.data(), 0, wrong.bytes()), "clearing");
  count_wrong(dtype, data, count, ranks, wrong.data(), nullptr);
  unsigned long long counted = 0;
  check(cudaMemcpy(&counted, wrong.data(), sizeof counted, cudaMemcpyDeviceToHost), "reading");
  return static_cast<std::int64_t>(counted);
}

TEST_F(OneGpuAllreduce, OneRankSumsToItsOwnTermsInEachTypeAndPlacement) {
  Communicators comms({0}, Seconds(30));
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
    for (const bool in_place : {true, false}) {
      const AllreduceCase one{dtype, 1 << 20, in_place};
      std::string reason;
      const auto buffers = AllreduceBuffers::make(comms, one, reason);
      ASSERT_TRUE(buffers) << reason;
      const AllreduceTiming timing = time_allreduce(comms, *buffers, one, kShort);
      EXPECT_EQ(timing.wrong_elements, 0) << case_name(one);
      const AllreduceRow row = timed_row(one, timing, comms.size());
      EXPECT_EQ(row.status, RowStatus::unsupported);
      EXPECT_EQ(row.reason, kNoCommunication);
    }
  }
}

TEST_F(OneGpuAllreduce, TermsAreSmallWholeNumbersOfAllFourValues) {
  DeviceBuffer<float> data(4096);
  fill_terms(DType::fp32, data.data(), 4096, 3, nullptr);
  std::vector<float> host(4096);
  check(cudaMemcpy(host.data(), data.data(), data.bytes(), cudaMemcpyDeviceToHost), "reading");
  std::vector<int> seen(4, 0);
  for (const float value : host) {
    ASSERT_TRUE(value == 0.0F || value == 1.0F || value == 2.0F || value == 3.0F) << value;
    ++seen[static_cast<std::size_t>(value)];
  }
  for (const int times : seen) EXPECT_GT(times, 4096 / 8);
}

TEST_F(OneGpuAllreduce, ChangedElementsAreCounted) {
  constexpr std::int64_t kCount = 1000003;  // no multiple of a block
  DeviceBuffer<float> data(kCount);
  fill_terms(DType::fp32, data.data(), kCount, 0, nullptr);
  EXPECT_EQ(wrong_in(DType::fp32, data.data(), kCount, 1), 0);
  const std::vector<float> bad{99.0F, -1.0F};
  check(cudaMemcpy(data.data(), bad.data(), 8, cudaMemcpyHostToDevice), "spoiling the start");
  check(cudaMemset(data.data() + kCount - 1, 0xFF, 4), "spoiling the end with a NaN");
  EXPECT_EQ(wrong_in(DType::fp32, data.data(), kCount, 1), 3);
}

TEST_F(OneGpuAllreduce, RankThatIsLeftOutOrShiftedShows) {
  constexpr std::int64_t kCount = 4096;
  DeviceBuffer<float> data(kCount + 1);
  fill_terms(DType::fp32, data.data(), kCount + 1, 0, nullptr);
  // A second rank adds 0 to about a quarter of the elements only.
  EXPECT_GT(wrong_in(DType::fp32, data.data(), kCount, 2), kCount / 2);
  EXPECT_GT(wrong_in(DType::fp32, data.data() + 1, kCount, 1), kCount / 2);
}

TEST_F(OneGpuAllreduce, SizeBeyondTheMemoryIsAReasonAndNotAnError) {
  Communicators comms({0}, Seconds(30));
  const AllreduceCase one{DType::fp32, std::int64_t{1} << 42, true};
  std::string reason;
  EXPECT_FALSE(AllreduceBuffers::make(comms, one, reason));
  EXPECT_TRUE(reason.starts_with("out of memory: device 0 has ")) << reason;
  // The GPU is usable still.
  const AllreduceCase small{DType::fp32, 1024, true};
  const auto buffers = AllreduceBuffers::make(comms, small, reason);
  ASSERT_TRUE(buffers) << reason;
  EXPECT_EQ(time_allreduce(comms, *buffers, small, kShort).wrong_elements, 0);
}

TEST_F(OneGpuAllreduce, PayloadThatCutsAnElementIsRefused) {
  Communicators comms({0}, Seconds(30));
  const AllreduceCase one{DType::fp32, 6, true};
  std::string reason;
  const auto buffers = AllreduceBuffers::make(comms, one, reason);
  ASSERT_TRUE(buffers) << reason;
  EXPECT_THROW((void)time_allreduce(comms, *buffers, one, kShort), DataError);
}

TEST_F(OneGpuAllreduce, DeviceThatIsNotThereIsALibraryError) {
  EXPECT_THROW(Communicators({4096}, Seconds(5)), LibraryError);
}

}  // namespace
}  // namespace stepcast
