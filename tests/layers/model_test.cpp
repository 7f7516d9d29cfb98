// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "comm/buckets.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

struct Published {
  std::string_view name;
  std::int64_t parameters;  // num_params of torchvision's weights
  std::size_t tensors;
  double giga_multiply_adds;  // _ops of torchvision's weights, three decimals
};

// torchvision 0.26, models/resnet.py and models/vision_transformer.py. Tensors: ResNet has one per
// convolution, two per batch norm, two in fc (152: 155 + 310 + 2); ViT has 12 a block and 8.
constexpr Published kPublished[] = {
    {"resnet18", 11689512, 62, 1.814},    {"resnet34", 21797672, 110, 3.664},
    {"resnet50", 25557032, 161, 4.089},   {"resnet101", 44549160, 314, 7.801},
    {"resnet152", 60192808, 467, 11.514}, {"vit_b_16", 86567656, 152, 17.564},
    {"vit_b_32", 88224232, 152, 4.409},   {"vit_l_16", 304326632, 296, 61.555}};

TEST(Model, HasAsManyParametersAsTorchvisionPublishes) {
  for (const Published& published : kPublished) {
    const Model model = make_model(published.name);
    EXPECT_EQ(parameter_count(model), published.parameters) << published.name;
    EXPECT_EQ(model.parameters.size(), published.tensors) << published.name;
  }
}

// One rule gives all eight: convolutions, linear layers (head and in-projection too) and the two
// products inside attention, a multiply-add counted once.
TEST(Model, CountsMultiplyAddsAsTorchvisionPublishes) {
  for (const Published& published : kPublished) {
    const auto count = static_cast<double>(forward_multiply_adds(make_model(published.name)));
    EXPECT_NEAR(count * 1e-9, published.giga_multiply_adds, 0.0005) << published.name;
  }
}

TEST(Model, NamesAreThoseThatTheCatalogueMakes) {
  ASSERT_EQ(model_names().size(), std::size(kPublished));
  for (std::size_t i = 0; i < std::size(kPublished); ++i) {
    EXPECT_EQ(model_names()[i], kPublished[i].name);
    EXPECT_EQ(make_model(model_names()[i]).name, kPublished[i].name);
  }
}

TEST(Model, ThatIsUnknownIsAnErrorThatListsTheKnown) {
  try {
    make_model("vgg16");
    FAIL() << "vgg16 was made";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "model: 'vgg16' is none of resnet18 resnet34 resnet50 resnet101 resnet152 "
                 "vit_b_16 vit_b_32 vit_l_16");
  }
}

TEST(Model, WithoutClassesIsAnError) {
  EXPECT_THROW(make_model("resnet18", 224, 0), DataError);
  EXPECT_THROW(make_model("vit_b_16", 224, -1), DataError);
}

// A head of ten classes: ResNet-18 has 512 inputs to it, so 990 * 513 parameters fewer.
TEST(Model, HeadFollowsTheClassCount) {
  EXPECT_EQ(parameter_count(make_model("resnet18", 224, 10)), 11689512 - 990 * 513);
}

/// Bytes of DDP's buckets by its rule, in reverse registration order.
std::vector<double> buckets(std::string_view name, double cap_mib = 25) {
  const Model model = make_model(name);
  std::vector<std::int64_t> bytes;
  for (auto it = model.parameters.rbegin(); it != model.parameters.rend(); ++it) {
    bytes.push_back(4 * elements(*it));
  }
  BucketOptions options;
  options.cap = mib(cap_mib);
  std::vector<double> sizes;
  for (const Bucket& bucket : assign_buckets(bytes, options)) {
    sizes.push_back(bucket.payload.count());
  }
  return sizes;
}

TEST(Model, ResNet152IsReducedInTenBuckets) {
  EXPECT_EQ(buckets("resnet152"),
            (std::vector<double>{8196000, 31502336, 26255360, 27863040, 26812416, 26812416,
                                 26812416, 26812416, 26556416, 13148416}));
}

TEST(Model, VitB16IsReducedInABucketPerBlockAndTwo) {
  std::vector<double> expected(14, 28351488);
  expected.front() = 3076000;
  expected.back() = 2976768;
  EXPECT_EQ(buckets("vit_b_16"), expected);
}

TEST(Model, ResNet18BucketsFollowTheCap) {
  EXPECT_EQ(buckets("resnet18"), (std::vector<double>{2052000, 28852224, 15853824}));
  EXPECT_EQ(buckets("resnet18", 35), (std::vector<double>{2052000, 38297600, 6408448}));
}

}  // namespace
}  // namespace stepcast
