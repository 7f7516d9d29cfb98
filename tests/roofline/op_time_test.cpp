// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/op_time.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/roofline/mini_profile.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;
using testing::op_row;

/// A copy reads and writes 4 bytes an element. The mini profile's L2 has 50 MB.
Op copy_of(std::int64_t elements) {
  return {Family::copy, Epilogue::none, Provider::native,       DType::fp32,
          DType::fp32,  Layout::flat,   ElementsShape{elements}};
}

class OpTimeTest : public ::testing::Test {
 protected:
  OpTimeTest() : folder_(testing::test_folder()) { testing::write_run_record(folder_); }

  ProfileData profile(const std::vector<OpRow>& rows) {
    testing::write_ops(folder_, rows);
    return ProfileData(folder_);
  }

  fs::path folder_;
};

TEST_F(OpTimeTest, AnOpThatDoesNotFitInL2IsCold) {
  EXPECT_EQ(cache_mode(cost(copy_of(6250001)), Bytes(testing::kMiniL2Bytes)), "cold");
  EXPECT_EQ(cache_mode(cost(copy_of(6250000)), Bytes(testing::kMiniL2Bytes)), "hot");
}

TEST_F(OpTimeTest, TheRuleChoosesBetweenTheTwoMeasuredTimes) {
  const Op large = copy_of(10000000);
  const Op small = copy_of(1000);
  const ProfileData data =
      profile({op_row(key(large), "cold", 9e-6), op_row(key(large), "hot", 7e-6),
               op_row(key(small), "cold", 3e-6), op_row(key(small), "hot", 2e-6)});
  const OpTimes times(data, false);
  EXPECT_EQ(times.find(large)->time, Seconds(9e-6));
  EXPECT_EQ(times.find(small)->time, Seconds(2e-6));
  EXPECT_FALSE(times.find(small)->other_cache);
}

TEST_F(OpTimeTest, TheOneTimeThatIsThereIsTakenAndSaysSo) {
  const Op small = copy_of(1000);
  const ProfileData data = profile({op_row(key(small), "cold", 3e-6)});
  const auto time = OpTimes(data, false).find(small);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->time, Seconds(3e-6));
  EXPECT_EQ(time->origin, Origin::measured);
  EXPECT_EQ(time->cache, "cold");
  EXPECT_TRUE(time->other_cache);
}

TEST_F(OpTimeTest, AMissingOpHasABoundOnlyWhereThatIsAllowed) {
  const ProfileData data = profile({});
  EXPECT_FALSE(OpTimes(data, false).find(copy_of(1000)));
  EXPECT_THROW(static_cast<void>(OpTimes(data, true).find(copy_of(1000))), DataError);
  testing::write_ceilings(folder_);
  const ProfileData with_ceilings(folder_);
  const auto time = OpTimes(with_ceilings, true).find(copy_of(1000));
  ASSERT_TRUE(time);
  EXPECT_EQ(time->origin, Origin::bound);
  EXPECT_DOUBLE_EQ(time->time.count(), 8000 / 4e12);
}

TEST_F(OpTimeTest, AnOpThatTheLibraryRefusedSaysWhy) {
  OpRow refused = op_row(key(copy_of(5)), "cold", 0);
  refused.status = RowStatus::unsupported;
  refused.reason = "no engine for this shape";
  const ProfileData data = profile({refused});
  const OpTimes times(data, false);
  EXPECT_EQ(times.why_missing(copy_of(5)), "unsupported: no engine for this shape");
  EXPECT_EQ(times.why_missing(copy_of(6)), "not in the profile");
}

}  // namespace
}  // namespace stepcast
