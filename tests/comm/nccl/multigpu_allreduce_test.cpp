// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "comm/collective.hpp"
#include "comm/nccl/allreduce_record.hpp"
#include "comm/nccl/allreduce_timing.hpp"
#include "core/cuda/check.hpp"
#include "core/error.hpp"
#include "tests/comm/nccl/devices.hpp"

namespace stepcast {
namespace {

class MultiGpuAllreduce : public testing::NeedsDevices<2> {
 protected:
  static std::vector<int> devices() {
    std::vector<int> all(static_cast<std::size_t>(testing::device_count()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

const AllreduceProtocol kShort{3, 10};

TEST_F(MultiGpuAllreduce, SumsAreExactInEachTypeSizeAndPlacement) {
  Communicators comms(devices(), Seconds(60));
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16}) {
    for (const bool in_place : {true, false}) {
      for (const std::int64_t payload : {4, 1024, 2976768, 28351488}) {
        const AllreduceCase one{dtype, payload, in_place};
        std::string reason;
        const auto buffers = AllreduceBuffers::make(comms, one, reason);
        ASSERT_TRUE(buffers) << reason;
        EXPECT_EQ(time_allreduce(comms, *buffers, one, kShort).wrong_elements, 0) << case_name(one);
      }
    }
  }
}

TEST_F(MultiGpuAllreduce, TimesAreOrderedAndGiveABusBandwidth) {
  Communicators comms(devices(), Seconds(60));
  const AllreduceCase one{DType::fp32, 28351488, true};
  std::string reason;
  const auto buffers = AllreduceBuffers::make(comms, one, reason);
  ASSERT_TRUE(buffers) << reason;
  const AllreduceTiming timing = time_allreduce(comms, *buffers, one, kShort);
  EXPECT_GT(timing.min_rank, Seconds(0));
  EXPECT_LE(timing.min_rank, timing.mean_rank);
  EXPECT_LE(timing.mean_rank, timing.max_rank);
  EXPECT_GT(timing.median, Seconds(0));
  const AllreduceRow row = timed_row(one, timing, comms.size());
  EXPECT_EQ(row.status, RowStatus::ok);
  // Slower than any PCIe generation in use, faster than no link that there is.
  EXPECT_GT(row.busbw_bytes_per_s, 0.5e9);
  EXPECT_LT(row.busbw_bytes_per_s, 5e12);
}

TEST_F(MultiGpuAllreduce, RankThatNeverArrivesEndsInATimeOutThatNamesTheOthers) {
  Communicators comms(devices(), Seconds(2));
  const AllreduceCase one{DType::fp32, 1024, true};
  std::string reason;
  const auto buffers = AllreduceBuffers::make(comms, one, reason);
  ASSERT_TRUE(buffers) << reason;
  // NCCL connects at the first call, which would hold the host until all ranks have come.
  comms.allreduce(buffers->send(), buffers->receive(), 256, DType::fp32);
  comms.wait("connecting");
  const Rank& first = comms.ranks().front();
  ASSERT_EQ(ncclAllReduce(buffers->send()[0], buffers->receive()[0], 256, ncclFloat32, ncclSum,
                          first.comm.get(), first.stream.get()),
            ncclSuccess);
  try {
    comms.wait("waiting for ranks that are not called");
    ADD_FAILURE() << "no error";
  } catch (const LibraryError& error) {
    EXPECT_NE(std::string(error.what()).find("no end within 2 s on device 0"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(comms.allreduce(buffers->send(), buffers->receive(), 256, DType::fp32), DataError);
}

}  // namespace
}  // namespace stepcast
