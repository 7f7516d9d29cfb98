// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/recorded.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/run_record.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;
using testing::TemporaryFolder;

constexpr const char* kUuid = "GPU-1";
const Protocol kFull = make_protocol(false);

Op op_of(std::int64_t elements) {
  Op op;
  op.shape = ElementsShape{elements};
  return op;
}

OpRow row_of(const Op& op, const char* cache, const char* run, RowStatus status = RowStatus::ok) {
  OpRow row;
  row.key = key(op);
  row.cache = cache;
  row.run = run;
  row.status = status;
  row.reason = status == RowStatus::ok ? "" : "a reason";
  if (status == RowStatus::ok) {
    row.median_s = row.p25_s = row.p75_s = row.min_s = row.p95_s = 1e-3;
    row.samples = 10;
    row.stop = "quiet";
    row.launch = "stream";
  }
  row.least_bytes = 8;
  row.plans_timed = 1;
  row.plan = "a plan";
  return row;
}

void add_run(const TemporaryFolder& folder, const char* id, const char* protocol = "full",
             int method_version = kFull.method_version) {
  write_run(folder.path("run.json"), {{"id", id},
                                      {"method_version", method_version},
                                      {"protocol", {{"name", protocol}}},
                                      {"gpu", {{"name", "A GPU"}, {"uuid", kUuid}}}});
}

void write_profile(const TemporaryFolder& folder, const std::vector<OpRow>& rows) {
  add_run(folder, "r1");
  add_run(folder, "r0", "full", kFull.method_version - 1);
  CsvWriter out(folder.path("ops.csv"), ops_schema());
  for (const OpRow& row : rows) out.write(cells(row));
}

TEST(Recorded, EmptyFolderHoldsNothing) {
  const TemporaryFolder folder;
  const Recorded recorded(folder.path("absent"), kUuid, kFull);
  EXPECT_EQ(recorded.remaining({op_of(1), op_of(2)}), (std::vector{op_of(1), op_of(2)}));
}

TEST(Recorded, KeysThatAreTimedOrUnsupportedDoNotRemain) {
  const TemporaryFolder folder;
  write_profile(folder, {row_of(op_of(1), "cold", "r1"), row_of(op_of(1), "hot", "r1"),
                         row_of(op_of(2), "cold", "r1", RowStatus::unsupported)});
  const Recorded recorded(folder.path(""), kUuid, kFull);
  EXPECT_EQ(recorded.remaining({op_of(1), op_of(2), op_of(3)}), std::vector{op_of(3)});
}

TEST(Recorded, FailedAndHalfWrittenKeysRemain) {
  const TemporaryFolder folder;
  write_profile(
      folder, {row_of(op_of(1), "cold", "r1", RowStatus::failed), row_of(op_of(2), "cold", "r1")});
  const Recorded recorded(folder.path(""), kUuid, kFull);
  EXPECT_EQ(recorded.remaining({op_of(1), op_of(2)}), (std::vector{op_of(1), op_of(2)}));
  // The row that a killed run did write is not written again; what is new to the file is.
  EXPECT_TRUE(recorded.contains(row_of(op_of(2), "cold", "r2")));
  EXPECT_FALSE(recorded.contains(row_of(op_of(2), "hot", "r2")));
  EXPECT_FALSE(recorded.contains(row_of(op_of(1), "cold", "r2")));
  EXPECT_TRUE(recorded.contains(row_of(op_of(1), "cold", "r2", RowStatus::failed)));
}

TEST(Recorded, RowsOfAnotherMethodDoNotCount) {
  const TemporaryFolder folder;
  write_profile(folder, {row_of(op_of(1), "cold", "r0"), row_of(op_of(1), "hot", "r0")});
  const Recorded recorded(folder.path(""), kUuid, kFull);
  EXPECT_EQ(recorded.remaining({op_of(1)}), std::vector{op_of(1)});
}

TEST(Recorded, RowsOfAQuickRunDoNotDoForAFullOne) {
  const TemporaryFolder folder;
  write_profile(folder, {row_of(op_of(1), "cold", "rq"), row_of(op_of(1), "hot", "rq"),
                         row_of(op_of(2), "cold", "r1"), row_of(op_of(2), "hot", "r1")});
  add_run(folder, "rq", "quick");
  const std::vector ops{op_of(1), op_of(2)};
  EXPECT_EQ(Recorded(folder.path(""), kUuid, kFull).remaining(ops), std::vector{op_of(1)});
  EXPECT_TRUE(Recorded(folder.path(""), kUuid, make_protocol(true)).remaining(ops).empty());
}

TEST(Recorded, RowsOfCustomMethodsAndOfOthersDoNotStandInForEachOther) {
  const TemporaryFolder folder;
  write_profile(folder, {row_of(op_of(1), "cold", "rc"), row_of(op_of(1), "hot", "rc"),
                         row_of(op_of(2), "cold", "r1"), row_of(op_of(2), "hot", "r1")});
  add_run(folder, "rc", "custom");
  const std::vector ops{op_of(1), op_of(2)};
  Protocol custom = kFull;
  custom.name = "custom";
  EXPECT_EQ(Recorded(folder.path(""), kUuid, kFull).remaining(ops), std::vector{op_of(1)});
  EXPECT_EQ(Recorded(folder.path(""), kUuid, make_protocol(true)).remaining(ops),
            std::vector{op_of(1)});
  EXPECT_EQ(Recorded(folder.path(""), kUuid, custom).remaining(ops), std::vector{op_of(2)});
}

TEST(Recorded, OneRunAloneCountsWhereItIsNamed) {
  const TemporaryFolder folder;
  write_profile(folder, {row_of(op_of(1), "cold", "r1"), row_of(op_of(1), "hot", "r1"),
                         row_of(op_of(2), "cold", "r2"), row_of(op_of(2), "hot", "r2")});
  add_run(folder, "r2");
  const std::vector ops{op_of(1), op_of(2)};
  EXPECT_TRUE(Recorded(folder.path(""), kUuid, kFull).remaining(ops).empty());
  EXPECT_EQ(Recorded(folder.path(""), kUuid, kFull, "r2").remaining(ops), std::vector{op_of(1)});
  EXPECT_EQ(Recorded(folder.path(""), kUuid, kFull, "").remaining(ops), ops);
}

TEST(Recorded, PlanThatTookTheGpuIsLeftOutAndAnOpWithoutOneIsNotTriedAgain) {
  const TemporaryFolder folder;
  OpRow lethal = row_of(op_of(1), "cold", "r1", RowStatus::failed);
  lethal.reason = std::string(kDeviceLost) + "a kernel failed";
  lethal.plan_rank = 3;
  OpRow lost = row_of(op_of(2), "cold", "r1", RowStatus::failed);
  lost.reason = std::string(kLostBeforeAPlan) + "a kernel failed";
  lost.plan = "";
  write_profile(folder, {lethal, lost});
  const Recorded recorded(folder.path(""), kUuid, kFull);
  EXPECT_EQ(recorded.lethal(key(op_of(1))), (std::set<std::int64_t>{3}));
  EXPECT_EQ(recorded.remaining({op_of(1), op_of(2)}), std::vector{op_of(1)});
}

TEST(Recorded, BlocksThatFailedOrWereThrottledAreTimedAgainButNotThoseThatTookTheGpu) {
  const TemporaryFolder folder;
  write_profile(folder, {});
  CsvWriter out(folder.path("blocks.csv"), blocks_schema());
  const auto add = [&](const std::string& name, RowStatus status, const std::string& reason) {
    BlockRow row;
    row.block = name;
    row.run = "r1";
    row.status = status;
    row.reason = reason;
    row.ops = 3;
    if (status == RowStatus::ok)
      row.median_s = row.apart_s = row.sum_s = row.sum_cold_s = row.sum_hot_s = 1e-3;
    out.write(cells(row));
  };
  add("timed", RowStatus::ok, "");
  add("unsupported", RowStatus::unsupported, "no plan");
  add("failed", RowStatus::failed, "out of memory");
  add("throttled", RowStatus::throttled, "SM clock");
  add("lethal", RowStatus::failed, std::string(kDeviceLost) + "a kernel failed");
  const Recorded recorded(folder.path(""), kUuid, kFull);
  for (const char* name : {"timed", "unsupported", "lethal"}) {
    EXPECT_TRUE(recorded.has_block(name)) << name;
  }
  for (const char* name : {"failed", "throttled"}) EXPECT_FALSE(recorded.has_block(name)) << name;
}

TEST(Recorded, TimedKeyHasItsPlanAndItsTimes) {
  const TemporaryFolder folder;
  OpRow first = row_of(op_of(1), "cold", "r1");
  first.median_s = 3e-3;
  OpRow best = row_of(op_of(1), "cold", "r1");
  best.plan_rank = 4;
  OpRow hot = row_of(op_of(1), "hot", "r1");
  hot.plan_rank = 4;
  hot.median_s = 5e-4;
  write_profile(folder, {first, best, hot, row_of(op_of(2), "cold", "r1")});
  const Recorded recorded(folder.path(""), kUuid, kFull);
  const auto alone = recorded.alone(key(op_of(1)));
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->rank, 4);
  EXPECT_EQ(alone->cold, Seconds(1e-3));
  EXPECT_EQ(alone->hot, Seconds(5e-4));
  EXPECT_FALSE(recorded.alone(key(op_of(2))));  // half written
  EXPECT_FALSE(recorded.alone(key(op_of(3))));
}

TEST(Recorded, ProfileOfAnotherGpuIsRefused) {
  const TemporaryFolder folder;
  write_profile(folder, {});
  const std::string error = error_of<DataError>([&] { Recorded(folder.path(""), "GPU-2", kFull); });
  EXPECT_NE(error.find("run.json: run r"), std::string::npos) << error;
  EXPECT_NE(error.find("GPU-1; this one is GPU-2"), std::string::npos) << error;
}

}  // namespace
}  // namespace stepcast
