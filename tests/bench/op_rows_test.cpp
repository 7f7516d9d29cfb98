// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/op_rows.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "core/run_record.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::content_of;
using testing::TemporaryFolder;

constexpr const char* kUuid = "GPU-1";

Op op_of(std::int64_t elements) {
  Op op;
  op.shape = ElementsShape{elements};
  return op;
}

Measurement timed() {
  Measurement result;
  result.best.cold.summary = {1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 0, 0, 10};
  result.best.cold.stop = Stop::quiet;
  result.best.hot = result.best.cold;
  result.plans_timed = 1;
  return result;
}

/// A run of one protocol over a folder.
struct OpsRun {
  explicit OpsRun(const TemporaryFolder& folder) : file(folder.path("ops.csv")) {
    write_run(folder.path("run.json"), {{"id", "r1"},
                                        {"method_version", protocol.method_version},
                                        {"protocol", {{"name", "full"}}},
                                        {"gpu", {{"name", "A GPU"}, {"uuid", kUuid}}}});
  }

  StatusCount time(const TemporaryFolder& folder, const std::vector<Op>& ops) {
    CsvWriter out(file, ops_schema());
    const Recorded recorded(folder.path(""), kUuid, protocol);
    Progress progress(false, ops.size());
    return time_ops(recorded.remaining(ops), source, recorded, "r1", out, progress);
  }

  std::filesystem::path file;
  Protocol protocol;
  std::vector<Op> measured;
  Measurement result = timed();
  OpSource source{[this](const Op& op) -> const Measurement& {
                    measured.push_back(op);
                    return result;
                  },
                  [] { return false; }};
};

TEST(OpRows, RowsOfAnOpAreOnTheDiskBeforeTheNextOneBegins) {
  const TemporaryFolder folder;
  OpsRun run(folder);
  std::vector<std::size_t> there;
  run.source.measure = [&](const Op&) -> const Measurement& {
    there.push_back(read_ops(run.file).size());
    return run.result;
  };
  run.time(folder, {op_of(1), op_of(2), op_of(3)});
  EXPECT_EQ(there, (std::vector<std::size_t>{0, 2, 4}));
}

TEST(OpRows, RunThatDiesLosesTheOpInHandAloneAndIsContinued) {
  const TemporaryFolder folder;
  OpsRun run(folder);
  run.source.measure = [inner = run.source.measure](const Op& op) -> const Measurement& {
    if (op == op_of(3)) throw std::runtime_error("killed");
    return inner(op);
  };
  const std::vector<Op> ops{op_of(1), op_of(2), op_of(3), op_of(4)};
  EXPECT_THROW(run.time(folder, ops), std::runtime_error);
  // A kill in the middle of a row leaves a torn line.
  std::ofstream(run.file, std::ios::app) << "copy/cuda/fp32/flat/e3,cold,0,r1,ok,,1e-";

  OpsRun second(folder);
  second.time(folder, ops);
  EXPECT_EQ(second.measured, (std::vector<Op>{op_of(3), op_of(4)}));
  EXPECT_EQ(read_ops(run.file).size(), 8U);
}

TEST(OpRows, FailedOpIsARowAndTheRunGoesOn) {
  const TemporaryFolder folder;
  OpsRun run(folder);
  Measurement failed;
  failed.status = RowStatus::failed;
  failed.reason = "wrong result";
  run.source.measure = [&](const Op& op) -> const Measurement& {
    return op == op_of(1) ? failed : run.result;
  };
  const StatusCount count = run.time(folder, {op_of(1), op_of(2)});
  EXPECT_EQ(count.text(), "1 timed, 0 unsupported, 1 failed");
  const auto rows = read_ops(run.file);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].reason, "wrong result");
  // It is tried again, and what is already said of it is not said twice.
  OpsRun second(folder);
  second.time(folder, {op_of(1), op_of(2)});
  EXPECT_EQ(second.measured, std::vector<Op>{op_of(1)});
}

TEST(OpRows, InterruptEndsTheRunAfterTheOpInHand) {
  const TemporaryFolder folder;
  OpsRun run(folder);
  run.source.interrupted = [&] { return run.measured.size() == 1; };
  run.time(folder, {op_of(1), op_of(2)});
  EXPECT_EQ(run.measured.size(), 1U);
  EXPECT_EQ(read_ops(run.file).size(), 2U);
}

TEST(OpRows, ThrottledOpsAreCounted) {
  StatusCount count;
  count.add(RowStatus::throttled);
  EXPECT_EQ(count.text(), "0 timed, 0 unsupported, 0 failed, 1 throttled");
}

}  // namespace
}  // namespace stepcast
