// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/keys_run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"

namespace stepcast {
namespace {

struct Asked {
  std::string key;
  std::size_t repetition;
  bool operator==(const Asked&) const = default;
};

struct Answer {
  std::string text;
  int wrong = 0;
  std::vector<Asked> asked;
};

Answer answer(const std::string& keys) {
  Answer result;
  Measurement unsupported;
  unsupported.status = RowStatus::unsupported;
  unsupported.reason = "no GPU";
  const MeasureOp measure = [&](const Op& op, std::size_t repetition) -> const Measurement& {
    result.asked.push_back({key(op), repetition});
    return unsupported;
  };
  std::istringstream in(keys);
  std::ostringstream out;
  result.wrong = answer_keys(in, "stdin", {{"id", "r1"}}, measure, out);
  result.text = out.str();
  return result;
}

TEST(KeysRun, HeadComesFirstAndEachKeyEndsWithAnEmptyLine) {
  const Answer result = answer("copy/cuda/fp32/flat/e4\n\n# a comment\ncopy/cuda/fp32/flat/e8\n");
  std::istringstream lines(result.text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "# run {\"id\":\"r1\"}");
  std::getline(lines, line);
  EXPECT_EQ(line, csv_header(ops_schema()));
  for (const char* expected : {"copy/cuda/fp32/flat/e4,cold,0,r1,unsupported,no GPU", "",
                               "copy/cuda/fp32/flat/e8,cold,0,r1,unsupported,no GPU", ""}) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(expected)) << line;
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_EQ(result.wrong, 0);
}

TEST(KeysRun, LostDeviceEndsTheRunBehindTheRowsThatSayWhy) {
  Measurement lost;
  lost.status = RowStatus::failed;
  lost.reason = "the GPU was lost: a kernel failed";
  Rejected& plan = lost.rejected.emplace_back();
  plan.rank = 13;
  plan.facts.plan = "eng13";
  plan.reason = lost.reason;
  lost.device_lost = true;
  std::istringstream in("copy/cuda/fp32/flat/e4\ncopy/cuda/fp32/flat/e8\n");
  std::ostringstream out;
  const MeasureOp measure = [&](const Op&, std::size_t) -> const Measurement& { return lost; };
  EXPECT_THROW(answer_keys(in, "stdin", {{"id", "r1"}}, measure, out), DeviceLost);
  EXPECT_NE(out.str().find("e4,cold,13,r1,failed,the GPU was lost: a kernel failed"),
            std::string::npos)
      << out.str();
  EXPECT_TRUE(out.str().ends_with("\n\n"));
  EXPECT_EQ(out.str().find("/e8"), std::string::npos);
}

TEST(KeysRun, KeyThatComesAgainIsTheNextRepetition) {
  const Answer result =
      answer("copy/cuda/fp32/flat/e4\ncopy/cuda/fp32/flat/e8\ncopy/cuda/fp32/flat/e4\n");
  EXPECT_EQ(result.asked, (std::vector<Asked>{{"copy/cuda/fp32/flat/e4", 0},
                                              {"copy/cuda/fp32/flat/e8", 0},
                                              {"copy/cuda/fp32/flat/e4", 1}}));
}

TEST(KeysRun, LineThatIsNoKeyIsNamedAndTheNextOneAnswered) {
  const Answer result = answer(
      "copy/cuda/fp32/flat/e4\ncopy/nobody/fp32/flat/e4\n"
      "copy/cuda/fp32/flat/e8\n");
  EXPECT_EQ(result.wrong, 1);
  EXPECT_NE(result.text.find("# stdin:2: "), std::string::npos) << result.text;
  EXPECT_NE(result.text.find("nobody"), std::string::npos) << result.text;
  EXPECT_EQ(result.asked.size(), 2U);
}

}  // namespace
}  // namespace stepcast
