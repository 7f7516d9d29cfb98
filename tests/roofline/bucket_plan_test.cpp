// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/bucket_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"

namespace stepcast {
namespace {

std::vector<std::int64_t> payloads(const std::string& name, BucketOrder order,
                                   double cap_mib = 25) {
  const Model model = make_model(name);
  const std::vector<PlacedOp> ops = step_ops(model, RecipeOptions{});
  BucketOptions options;
  options.cap = mib(cap_mib);
  std::vector<std::int64_t> sizes;
  for (const ModelBucket& bucket : plan_buckets(model, ops, order, options)) {
    sizes.push_back(static_cast<std::int64_t>(bucket.payload.count()));
  }
  return sizes;
}

std::vector<std::int64_t> repeated(std::vector<std::int64_t> head, std::int64_t middle, int times,
                                   const std::vector<std::int64_t>& tail) {
  head.insert(head.end(), static_cast<std::size_t>(times), middle);
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

// The rule of PyTorch's reducer.cpp, applied to torchvision's module lists in reverse registration
// order.
const std::vector<std::int64_t> kResnet152 =
    repeated({8196000, 31502336, 26255360, 27863040}, 26812416, 4, {26556416, 13148416});
const std::vector<std::int64_t> kVitB16 = repeated({3076000}, 28351488, 12, {2976768});

TEST(BucketPlan, RegistrationOrderGivesResnet152Buckets) {
  EXPECT_EQ(payloads("resnet152", BucketOrder::registration), kResnet152);
}

TEST(BucketPlan, RegistrationOrderGivesVitB16Buckets) {
  EXPECT_EQ(payloads("vit_b_16", BucketOrder::registration), kVitB16);
}

TEST(BucketPlan, TheCapDecidesHowManyBucketsResnet18Has) {
  EXPECT_EQ(payloads("resnet18", BucketOrder::registration, 25),
            (std::vector<std::int64_t>{2052000, 28852224, 15853824}));
  EXPECT_EQ(payloads("resnet18", BucketOrder::registration, 35),
            (std::vector<std::int64_t>{2052000, 38297600, 6408448}));
}

/// The largest tensor of a model, in bytes.
std::int64_t largest_tensor(const Model& model) {
  std::int64_t largest = 0;
  for (const Parameter& parameter : model.parameters) {
    largest = std::max(largest, 4 * elements(parameter));
  }
  return largest;
}

TEST(BucketPlan, ReadyOrderMovesNoBoundaryByMoreThanATensor) {
  for (const std::string name : {"resnet152", "vit_b_16"}) {
    const auto registration = payloads(name, BucketOrder::registration);
    const auto ready = payloads(name, BucketOrder::ready);
    ASSERT_EQ(ready.size(), registration.size()) << name;
    const std::int64_t tensor = largest_tensor(make_model(name));
    std::int64_t ready_end = 0, registration_end = 0;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      ready_end += ready[i];
      registration_end += registration[i];
      EXPECT_LE(std::abs(ready_end - registration_end), tensor) << name << " bucket " << i;
    }
    EXPECT_EQ(ready_end, 4 * parameter_count(make_model(name)));
  }
}

TEST(BucketPlan, ReadyOrderNamesEveryParameterOnce) {
  const Model model = make_model("vit_b_16");
  std::vector<std::int64_t> order = ready_order(model, step_ops(model, RecipeOptions{}));
  std::sort(order.begin(), order.end());
  ASSERT_EQ(order.size(), model.parameters.size());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<std::int64_t>(i));
}

TEST(BucketPlan, AParameterThatNothingMakesReadyIsNamed) {
  const Model model = make_model("resnet18");
  try {
    ready_order(model, {});
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("conv1.weight"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stepcast
