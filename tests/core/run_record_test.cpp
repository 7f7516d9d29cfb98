// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/run_record.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::content_of;
using testing::error_of;
using testing::TemporaryFolder;

TEST(RunRecord, AbsentFileHasNoRuns) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_runs(folder.path("run.json")), (json{{"schema", 1}, {"runs", json::array()}}));
}

TEST(RunRecord, RunsAreAddedAndReplacedById) {
  const TemporaryFolder folder;
  const auto file = folder.path("run.json");
  write_run(file, {{"id", "a"}, {"seconds", 1}});
  write_run(file, {{"id", "b"}});
  write_run(file, {{"id", "a"}, {"seconds", 2}});
  const json content = read_runs(file);
  ASSERT_EQ(content["runs"].size(), 2U);
  EXPECT_EQ(content["runs"][0], (json{{"id", "a"}, {"seconds", 2}}));
  EXPECT_EQ(content["runs"][1]["id"], "b");
}

TEST(RunRecord, NothingIsLeftBesideTheFile) {
  const TemporaryFolder folder;
  write_run(folder.path("run.json"), {{"id", "a"}});
  const std::filesystem::directory_iterator files(folder.path(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(RunRecord, BytesThatAreNoUtf8AreWritten) {
  const TemporaryFolder folder;
  write_run(folder.path("run.json"), {{"id", "a"}, {"command", "x \xFF y"}});
  EXPECT_EQ(read_runs(folder.path("run.json"))["runs"][0]["command"], "x \xEF\xBF\xBD y");
}

TEST(RunRecord, WhatIsNoRunRecordIsRefusedAndLeft) {
  const TemporaryFolder folder;
  for (const char* content :
       {"", "{", "[]", "{}", R"({"schema": 0, "runs": []})", R"({"schema": "1", "runs": []})",
        R"({"schema": 1})", R"({"schema": 1, "runs": {}})", R"({"schema": 1, "runs": [{}]})",
        R"({"schema": 1, "runs": [{"id": 7}]})"}) {
    const auto file = folder.file("run.json", content);
    EXPECT_THROW((void)read_runs(file), DataError) << content;
    EXPECT_THROW(write_run(file, {{"id", "a"}}), DataError) << content;
    EXPECT_EQ(content_of(file), content);
  }
}

TEST(RunRecord, NewerSchemaIsRefusedByName) {
  const TemporaryFolder folder;
  const auto file = folder.file("run.json", R"({"schema": 2, "runs": []})");
  EXPECT_NE(error_of<DataError>([&] {
              (void)read_runs(file);
            }).find("run.json: run schema 2 is newer than this program, which reads up to 1"),
            std::string::npos);
}

TEST(RunRecord, RunWithoutIdAndFolderThatIsMissingAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_run(folder.path("run.json"), json::object()), DataError);
  EXPECT_THROW(write_run(folder.path("no/run.json"), {{"id", "a"}}), DataError);
}

TEST(RunRecord, IdHoldsUtcTimeAndProcess) {
  EXPECT_TRUE(std::regex_match(new_run_id(), std::regex("r[0-9]{8}T[0-9]{6}Z-[0-9]+(-[0-9]+)?")));
}

TEST(RunRecord, IdsOfOneProcessDiffer) { EXPECT_NE(new_run_id(), new_run_id()); }

}  // namespace
}  // namespace stepcast
