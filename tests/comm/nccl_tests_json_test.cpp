// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "comm/nccl_tests_log.hpp"
#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::error_of;
using testing::TemporaryFolder;

json timed(double time_us, double algbw, double busbw, const json& wrong = 0) {
  return {{"time", time_us}, {"alg_bw", algbw}, {"bus_bw", busbw}, {"nwrong", wrong}};
}

/// As all_reduce_perf -J writes it: eight ranks, two processes on two machines with four GPUs each.
/// 1 MiB in 20 us is 52.4288 GB/s, 91.7504 on the bus.
json document() {
  const auto device = [](int rank, const char* host) {
    return json{{"rank", rank},
                {"group", 0},
                {"pid", 7},
                {"hostname", host},
                {"device", 0},
                {"device_hex", "0000:00:06"},
                {"device_info", "NVIDIA H100"}};
  };
  return {{"version", 3},
          {"args", {"./build/all_reduce_perf", "-J", "a.json"}},
          {"env", json::array()},
          {"nccl_version", 22803},
          {"config",
           {{"nthreads", 1},
            {"ngpus", 4},
            {"iterations", 20},
            {"graph", 0},
            {"devices", {device(0, "a"), device(4, "b")}}}},
          {"results",
           {{{"size", 1048576},
             {"count", 262144},
             {"type", "float"},
             {"redop", "sum"},
             {"root", "    -1"},
             {"out_of_place", timed(20.0, 52.4288, 91.7504)},
             {"in_place", timed(20.0, 52.4288, 91.7504, nullptr)}}}},
          {"out_of_bounds", {{"count", 0}, {"okay", "true"}}}};
}

NcclTestsLog read(const std::string& content, const NcclTestsContext& context = {}) {
  const TemporaryFolder folder;
  return read_nccl_tests_log(folder.file("a.json", content), context);
}

std::string refusal(const json& content) {
  const std::string text = error_of<DataError>([&] { (void)read(content.dump()); });
  const std::size_t at = text.find("a.json:");
  return at == std::string::npos ? text : text.substr(at);
}

TEST(NcclTestsJson, RunAndRowsAreRead) {
  const NcclTestsLog log = read(document().dump());
  EXPECT_EQ(log.left_out, std::vector<std::string>());
  ASSERT_EQ(log.tables.size(), 1U);
  const NcclTestsTable& table = log.tables[0];
  EXPECT_EQ(table.tool, "nccl-tests");
  EXPECT_EQ(table.nccl_version, "2.28.3");
  EXPECT_EQ(table.gpu, "NVIDIA H100");
  EXPECT_EQ(table.ranks, 8);
  EXPECT_EQ(table.nodes, 2);
  EXPECT_EQ(table.iterations, 20);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_FALSE(table.rows[0].in_place);
  EXPECT_DOUBLE_EQ(table.rows[0].median_s, 20e-6);
  EXPECT_DOUBLE_EQ(table.rows[0].busbw_bytes_per_s, 91.7504e9);
  EXPECT_EQ(table.rows[0].wrong_elements, 0);
  EXPECT_EQ(table.rows[1].wrong_elements, -1);
  EXPECT_EQ(table.rows[1].dtype, "fp32");
}

TEST(NcclTestsJson, InPlaceAloneIsRead) {
  json content = document();
  content["results"][0]["out_of_place"] = nullptr;
  const NcclTestsLog log = read(content.dump());
  ASSERT_EQ(log.tables[0].rows.size(), 1U);
  EXPECT_TRUE(log.tables[0].rows[0].in_place);
}

TEST(NcclTestsJson, WhatIsWholeOfACutOffFileIsKept) {
  json content = document();
  json second = content["results"][0];
  second["root"] = "cut here";
  content["results"].push_back(second);
  std::string text = R"({"args":)" + content["args"].dump() + R"(,"config":)" +
                     content["config"].dump() + R"(,"results":)" + content["results"].dump();
  text.resize(text.find("cut here") + 3);
  const NcclTestsLog log = read(text);
  EXPECT_EQ(log.tables.at(0).rows.size(), 2U);
  ASSERT_EQ(log.left_out.size(), 1U);
  EXPECT_NE(log.left_out[0].find("a.json: the JSON is cut off"), std::string::npos);
  EXPECT_NE(log.left_out[0].find("line 1, column"), std::string::npos);
}

TEST(NcclTestsJson, OtherTypesAndReductionsAreLeftOut) {
  json content = document();
  json other = content["results"][0];
  other["type"] = "double";
  content["results"].push_back(other);
  other["type"] = "float";
  other["redop"] = "max";
  content["results"].push_back(other);
  const NcclTestsLog log = read(content.dump());
  EXPECT_EQ(log.tables.at(0).rows.size(), 2U);
  ASSERT_EQ(log.left_out.size(), 2U);
  EXPECT_NE(log.left_out[0].find("a.json:results[1]:type: 'double'"), std::string::npos);
  EXPECT_NE(log.left_out[1].find("a.json:results[2]:redop: 'max'"), std::string::npos);
}

TEST(NcclTestsJson, WrongElementsFailTheirRowAndUnplacedOnesTheRun) {
  json content = document();
  content["results"][0]["out_of_place"]["nwrong"] = 3.0;
  EXPECT_EQ(read(content.dump()).tables[0].rows[0].reason, "3 wrong elements");
  EXPECT_EQ(read(content.dump()).tables[0].rows[1].status, RowStatus::ok);
  content = document();
  content["out_of_bounds"]["count"] = 2;
  const NcclTestsLog log = read(content.dump());
  for (const AllreduceRow& row : log.tables.at(0).rows) {
    EXPECT_EQ(row.reason, "2 values of the run were out of bounds");
  }
}

TEST(NcclTestsJson, WhatContradictsItselfIsRefusedAtItsPlace) {
  json content = document();
  content["results"][0]["count"] = 262143;
  EXPECT_EQ(refusal(content),
            "a.json:results[0]:count: 262143 elements of float are not 1048576 bytes");
  content = document();
  content["results"][0]["out_of_place"]["time"] = 40.0;
  EXPECT_EQ(refusal(content),
            "a.json:results[0]:algbw: 52.4288 GB/s does not follow from 1048576 "
            "bytes in 40 us");
  content = document();
  content["config"]["ngpus"] = 1;  // two ranks
  EXPECT_NE(refusal(content).find("a.json:results[0]:busbw: 91.7504 GB/s is not 1 times"),
            std::string::npos);
  content = document();
  content["results"][0]["in_place"]["bus_bw"] = "nan";
  EXPECT_EQ(refusal(content), "a.json:results[0]:bus_bw: \"nan\" is not a number of 0 or more");
  content = document();
  content["results"][0]["in_place"].erase("time");
  EXPECT_EQ(refusal(content), "a.json:results[0]:time: is missing");
  content["results"][0]["in_place"]["cpu_time"] = 20.0;
  EXPECT_NE(refusal(content).find("the host's times (-C)"), std::string::npos);
}

TEST(NcclTestsJson, OtherProgramsAndDocumentsAreRefused) {
  json content = document();
  content["args"][0] = "all_gather_perf";
  EXPECT_EQ(refusal(content), "a.json:args: 'all_gather_perf' is not all_reduce_perf");
  EXPECT_EQ(refusal(json::object()), "a.json:config: is missing");
  content = document();
  content["results"] = json::array();
  EXPECT_NE(refusal(content).find("holds no whole line of an allreduce"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
