// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/allreduce_validation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;

const std::vector<AllreducePair>& shipped() {
  static const std::vector<AllreducePair> pairs =
      read_allreduce_pairs(STEPCAST_SOURCE_DIR "/data/published/allreduce_pairs.csv");
  return pairs;
}

const std::vector<JudgedPair>& judged() {
  static const std::vector<JudgedPair> pairs = judge(shipped());
  return pairs;
}

double mean_error_of(LawKind law) {
  std::vector<double> errors;
  for (const JudgedPair& pair : judged()) {
    if (pair.pair.law != law || !claimed(pair)) continue;
    errors.insert(errors.end(), pair.errors.begin(), pair.errors.end());
  }
  return mean_error(errors);
}

TEST(AllreduceValidation, ShippedConstantsAreTheFitToAllSets) {
  const RankLaw fit = fit_rank_law(shipped());
  EXPECT_NEAR(fit.step / microseconds(1), kRankLaw.step / microseconds(1), 1e-9);
  EXPECT_NEAR(fit.pair_gain, kRankLaw.pair_gain, 1e-9);
}

TEST(AllreduceValidation, LawsMeetTheirGoalsOnLogsThatTheyWereNotFittedTo) {
  EXPECT_LT(mean_error_of(LawKind::ranks), 0.07);
  EXPECT_LT(mean_error_of(LawKind::nodes), 0.08);
}

TEST(AllreduceValidation, IntervalsHaveTheWidthOfFourErrorsOfFive) {
  EXPECT_NEAR(usual_error(judged(), LawKind::sizes), kSizeError, 0.005);
  EXPECT_NEAR(usual_error(judged(), LawKind::ranks), kRankError, 0.005);
  EXPECT_NEAR(usual_error(judged(), LawKind::nodes), kNetworkError, 0.005);
}

TEST(AllreduceValidation, SetsAreJudgedByConstantsOfTheOthers) {
  for (const JudgedPair& pair : judged()) {
    const RankLaw others = fit_rank_law(shipped(), pair.pair.set);
    EXPECT_EQ(pair.law.step, others.step) << pair.pair.set;
    EXPECT_EQ(pair.law.pair_gain, others.pair_gain) << pair.pair.set;
    if (pair.pair.law == LawKind::ranks) break;
  }
  EXPECT_NE(fit_rank_law(shipped(), "azure").step, fit_rank_law(shipped(), "vtrain").step);
}

TEST(AllreduceValidation, MeshIsRefusedWhereTheLawWouldBeWrongByAFactor) {
  int refused = 0;
  for (const JudgedPair& pair : judged()) {
    if (pair.pair.around.fabric != Fabric::mesh) continue;
    ++refused;
    EXPECT_NE(pair.refusal, "");
    EXPECT_FALSE(claimed(pair));
    EXPECT_GT(*std::max_element(pair.errors.begin(), pair.errors.end()), 2.0);
  }
  EXPECT_EQ(refused, 2);
}

/// A folder with two logs of two and four ranks, at 1 and 2 MiB, and a file of pairs.
struct Pairs {
  testing::TemporaryFolder folder;

  explicit Pairs(const std::string& row) {
    std::filesystem::create_directory(folder.path("nccl_logs"));
    log("two.txt", 2, "1048576 262144 float 10.00 104.86 104.86 10.00 104.86 104.86\n");
    log("four.txt", 4, "1048576 262144 float 20.00 52.43 78.64 20.00 52.43 78.64\n");
    log("large.txt", 4, "2097152 524288 float 40.00 52.43 78.64 40.00 52.43 78.64\n");
    std::ofstream(file()) << "# stepcast allreduce_pairs schema 1\n"
                             "law,set,from,to,fabric,network,network_busbw_gbps\n"
                          << row << '\n';
  }

  [[nodiscard]] std::filesystem::path file() const { return folder.path("pairs.csv"); }

  void log(const std::string& name, int ranks, const std::string& row) const {
    std::ofstream(folder.path("nccl_logs") / name) << "# nodes: 1  ranks: " << ranks << '\n' << row;
  }
};

TEST(AllreduceValidation, ErrorIsFittedOverRealLessOne) {
  const Pairs pairs("ranks,here,two.txt,four.txt,nvswitch,,");
  std::vector<AllreducePair> read = read_allreduce_pairs(pairs.file());
  ASSERT_EQ(read.size(), 1U);
  // The constants come from another set with the same two logs.
  read.push_back(read.front());
  read.back().set = "there";
  const RankLaw law = fit_rank_law(read, "here");
  const JudgedPair one = judge(read).front();
  ASSERT_EQ(one.errors.size(), 1U);
  // Two ranks: 10 us, all of it wire. Four: 15 us of wire over the gain, and four steps.
  const double fitted = 15.0 / law.pair_gain + 4 * (law.step / microseconds(1));
  EXPECT_NEAR(one.errors.front(), fitted / 20.0 - 1.0, 1e-9);
  EXPECT_NEAR(one.bus_errors.front(), 15.0 / 20.0 - 1.0, 1e-9);
}

TEST(AllreduceValidation, PairsThatCannotBeReadAreNamed) {
  const Pairs unknown("speed,here,two.txt,four.txt,nvswitch,,");
  EXPECT_EQ(error_of<DataError>([&] { (void)read_allreduce_pairs(unknown.file()); }),
            unknown.file().string() + ":3:law: 'speed' is none of sizes ranks nodes");
  const Pairs absent("ranks,here,none.txt,four.txt,nvswitch,,");
  EXPECT_THROW((void)read_allreduce_pairs(absent.file()), DataError);
  const Pairs apart("ranks,here,two.txt,large.txt,nvswitch,,");
  const auto read = read_allreduce_pairs(apart.file());
  EXPECT_EQ(error_of<DataError>([&] { (void)fit_rank_law(read); }),
            "here: two logs without a size in common");
  EXPECT_EQ(error_of<DataError>([&] { (void)fit_rank_law(read, "here"); }),
            "no pair of logs to fit the law of ranks to");
}

}  // namespace
}  // namespace stepcast
