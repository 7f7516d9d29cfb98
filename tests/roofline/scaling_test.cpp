// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/scaling.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "roofline/allreduce_source.hpp"
#include "tests/roofline/mini_profile.hpp"

namespace stepcast {
namespace {

/// Steps of the mini profile's case: resnet18 bf16 nhwc 64x64, batches 32 and 16, two ranks.
class ScalingTest : public ::testing::Test {
 protected:
  ScalingTest() : folder_(testing::test_folder()) {
    testing::write_mini_profile(folder_, mini_);
    profile_.emplace(folder_);
    allreduce_ = choose_allreduce(profile_->allreduce(), profile_->runs());
    times_.emplace(*profile_, false);
  }

  Case mini_case() const { return {mini_.model, mini_.recipe, {}, BucketOrder::registration}; }

  StepPredictor predictor(const Case& predicted) { return {predicted, *times_, allreduce_.table}; }
  StepPredictor predictor() { return predictor(mini_case()); }

  static Seconds time_of(const StepOrReason& step) { return std::get<Step>(step).timeline.step; }

  testing::MiniProfile mini_;
  std::filesystem::path folder_;
  std::optional<ProfileData> profile_;
  AllreduceSource allreduce_{AllreduceTable({}), ""};
  std::optional<OpTimes> times_;
};

TEST_F(ScalingTest, OneRankCommunicatesNothing) {
  const Step step = std::get<Step>(predictor().step(32, 1));
  EXPECT_EQ(step.timeline.exposed, Seconds(0));
  EXPECT_EQ(step.origin, Origin::measured);
  for (const BucketReport& bucket : step.buckets) EXPECT_EQ(bucket.allreduce.time, Seconds(0));
}

TEST_F(ScalingTest, OneRankTakesTheSumOfItsOps) {
  double sum = 0;
  RecipeOptions recipe = mini_.recipe;
  for (const PlacedOp& placed : step_ops(mini_.model, recipe)) {
    const bool cold = cost(placed.op).least_bytes.count() > testing::kMiniL2Bytes / 2;
    sum += static_cast<double>(placed.count) * (cold ? 1.0 : 0.8) *
           testing::mini_cold_time_s(placed.op);
  }
  EXPECT_NEAR(time_of(predictor().step(32, 1)).count(), sum, 1e-9 * sum);
}

TEST_F(ScalingTest, ClassesAddUpToTheComputeTime) {
  const Step step = std::get<Step>(predictor().step(32, 2));
  Seconds sum;
  for (const Seconds time : step.by_class) sum += time;
  EXPECT_NEAR(sum.count(), (step.timeline.step - step.timeline.exposed).count(), 1e-12);
}

TEST_F(ScalingTest, TheLastBucketIsExposedForItsWholeAllreduceLessCopies) {
  // Ready at the backward pass's end, so all its time is behind it, less the copies out of the
  // buckets before, which run meanwhile.
  const Step step = std::get<Step>(predictor().step(32, 2));
  const BucketReport& last = step.buckets.back();
  const Timeline& timeline = step.timeline;
  EXPECT_NEAR((timeline.forward + timeline.backward).count(), last.times.ready.count(), 1e-12);
  EXPECT_GT(last.times.exposed, Seconds(0));
  EXPECT_LE(last.times.exposed, last.allreduce.time);
}

TEST_F(ScalingTest, AFittedAllreduceMarksTheStepFitted) {
  const Step step = std::get<Step>(predictor().step(32, 2));
  EXPECT_EQ(step.exposed_origin, Origin::fitted);
  EXPECT_EQ(step.origin, Origin::fitted);
  EXPECT_EQ(step.phase_origin[static_cast<std::size_t>(Phase::forward)], Origin::measured);
}

TEST_F(ScalingTest, WeakEfficiencyIsT1OverTN) {
  StepPredictor p = predictor();
  const auto rows = weak_scaling(p, 32, {1, 2, 4});
  const double t1 = time_of(rows[0].step).count();
  EXPECT_DOUBLE_EQ(*rows[0].efficiency, 1);
  for (const ScalingRow& row : rows) {
    EXPECT_EQ(row.batch, 32);
    EXPECT_DOUBLE_EQ(row.null_step->count(), t1);
    EXPECT_DOUBLE_EQ(*row.efficiency, t1 / time_of(row.step).count());
  }
  EXPECT_LT(*rows[1].efficiency, 1);
}

TEST_F(ScalingTest, StrongEfficiencyIsT1OverNTN) {
  StepPredictor p = predictor();
  const auto rows = strong_scaling(p, 32, {1, 2});
  const double t1 = time_of(rows[0].step).count();
  EXPECT_EQ(rows[1].batch, 16);
  EXPECT_DOUBLE_EQ(rows[1].null_step->count(), t1 / 2);
  EXPECT_DOUBLE_EQ(*rows[1].efficiency, t1 / (2 * time_of(rows[1].step).count()));
}

TEST_F(ScalingTest, ARowOfABatchThatWasNotMeasuredSaysHowToMeasureIt) {
  StepPredictor p = predictor();
  const auto rows = strong_scaling(p, 32, {1, 2, 4});
  EXPECT_TRUE(std::holds_alternative<Step>(rows[1].step));
  ASSERT_TRUE(std::holds_alternative<std::string>(rows[2].step));
  EXPECT_EQ(std::get<std::string>(rows[2].step),
            "not measured: batch 8 (stepcast measure --out " + folder_.string() +
                " --models resnet18 --precisions bf16 --layouts nhwc --batches 8 --image-size 64)");
  EXPECT_FALSE(rows[2].efficiency);
  EXPECT_TRUE(rows[2].null_step);
}

TEST_F(ScalingTest, WithoutAllreduceTimesOnlyOneRankHasAStep) {
  const AllreduceTable none({});
  StepPredictor p(mini_case(), *times_, none);
  const auto rows = weak_scaling(p, 32, {1, 2});
  EXPECT_TRUE(std::holds_alternative<Step>(rows[0].step));
  ASSERT_TRUE(std::holds_alternative<std::string>(rows[1].step));
  EXPECT_EQ(std::get<std::string>(rows[1].step).rfind("not measured: allreduce over 2 ranks", 0),
            0);
}

TEST_F(ScalingTest, AGlobalBatchThatDoesNotDivideIsRefused) {
  StepPredictor p = predictor();
  EXPECT_THROW(strong_scaling(p, 32, {1, 3}), DataError);
}

TEST_F(ScalingTest, WithoutDdpTheStepIsShorter) {
  Case plain = mini_case();
  plain.recipe.ddp = false;
  StepPredictor p = predictor(plain);
  const Step step = std::get<Step>(p.step(32, 1));
  EXPECT_EQ(step.timeline.finalize, Seconds(0));
  EXPECT_TRUE(step.buckets.empty());
  EXPECT_LT(step.timeline.step, time_of(predictor().step(32, 1)));
}

TEST_F(ScalingTest, TheBucketCapMovesTheStepOfTwoRanks) {
  Case small_buckets = mini_case();
  small_buckets.buckets.cap = mib(1);
  StepPredictor small = predictor(small_buckets);
  EXPECT_NE(time_of(small.step(32, 2)), time_of(predictor().step(32, 2)));
  // One rank runs the same ops; only the order of adding them up differs.
  EXPECT_NEAR(time_of(small.step(32, 1)).count(), time_of(predictor().step(32, 1)).count(), 1e-12);
}

TEST_F(ScalingTest, MoreRanksAndSlowerLinksTakeLonger) {
  StepPredictor p = predictor();
  EXPECT_GT(time_of(p.step(32, 8)), time_of(p.step(32, 2)));
  std::vector<AllreducePoint> slow;
  for (const AllreduceRow& row : profile_->allreduce()) {
    slow.push_back({2, Bytes(static_cast<double>(row.payload_bytes)), Seconds(10 * row.median_s)});
  }
  const AllreduceTable table(std::move(slow));
  StepPredictor slower(mini_case(), *times_, table);
  EXPECT_GT(time_of(slower.step(32, 2)), time_of(p.step(32, 2)));
}

TEST_F(ScalingTest, OfSeveralPartsTheLargestNamesTheStep) {
  Step step;
  step.by_class[static_cast<std::size_t>(OpClass::conv)] = milliseconds(6);
  step.by_class[static_cast<std::size_t>(OpClass::norm)] = milliseconds(3);
  step.timeline.exposed = milliseconds(1);
  step.timeline.step = milliseconds(10);
  EXPECT_EQ(dominant(step).name, "conv");
  EXPECT_DOUBLE_EQ(dominant(step).share, 0.6);
  step.timeline.exposed = milliseconds(7);
  EXPECT_EQ(dominant(step).name, "communication");
}

}  // namespace
}  // namespace stepcast
