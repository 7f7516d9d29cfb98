// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/models/resnet.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace stepcast {
namespace {

using Shapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

Shapes output_shapes(const Model& model) {
  Shapes shapes;
  for (const Layer& layer : model.layers) shapes.emplace_back(layer.name, layer.output);
  return shapes;
}

const Layer& find(const Model& model, std::string_view name) {
  return *std::find_if(model.layers.begin(), model.layers.end(),
                       [&](const Layer& layer) { return layer.name == name; });
}

struct Stage {
  std::int64_t blocks, width, before, after;  // image height before and behind the first block
};

// Table 1 of He et al., "Deep Residual Learning for Image Recognition" (2015): 3, 8, 36, 3 blocks.
TEST(ResNet, HasTheShapesOfThePaperInEveryLayerOf152) {
  constexpr Stage kStages[] = {
      {3, 64, 56, 56}, {8, 128, 56, 28}, {36, 256, 28, 14}, {3, 512, 14, 7}};
  Shapes expected{{"conv1", {64, 112, 112}},
                  {"bn1", {64, 112, 112}},
                  {"relu", {64, 112, 112}},
                  {"maxpool", {64, 56, 56}}};
  for (int stage = 0; stage < 4; ++stage) {
    const auto [blocks, width, before, after] = kStages[stage];
    for (int block = 0; block < blocks; ++block) {
      const std::string name = fmt::format("layer{}.{}.", stage + 1, block);
      const std::int64_t in = block == 0 ? before : after;
      const std::vector<std::int64_t> first{width, in, in};
      const std::vector<std::int64_t> inner{width, after, after};
      const std::vector<std::int64_t> outer{4 * width, after, after};
      for (const char* layer : {"conv1", "bn1", "relu1"})
        expected.emplace_back(name + layer, first);
      for (const char* layer : {"conv2", "bn2", "relu2"})
        expected.emplace_back(name + layer, inner);
      for (const char* layer : {"conv3", "bn3"}) expected.emplace_back(name + layer, outer);
      if (block == 0) {
        expected.emplace_back(name + "downsample.0", outer);
        expected.emplace_back(name + "downsample.1", outer);
      }
      expected.emplace_back(name + "add", outer);
      expected.emplace_back(name + "relu3", outer);
    }
  }
  expected.insert(expected.end(), {{"avgpool", {2048}}, {"fc", {1000}}, {"loss", {1}}});
  EXPECT_EQ(output_shapes(make_model("resnet152")), expected);
}

TEST(ResNet, HasThreeBuffersForEachOf155BatchNorms) {
  const Model model = make_model("resnet152");
  EXPECT_EQ(model.buffers.size(), 465U);
  // Channels that are normalised: 64 in bn1, 6 w in a block of width w (w, w, 4 w), 4 w in each
  // stage's downsampling: 64 + 6 (3 64 + 8 128 + 36 256 + 3 512) + 4 (64 + 128 + 256 + 512).
  const std::int64_t sum =
      std::accumulate(model.buffers.begin(), model.buffers.end(), std::int64_t{0});
  EXPECT_EQ(sum, 2 * 75712 + 155);
  EXPECT_EQ(model.buffers[0], 64);
  EXPECT_EQ(model.buffers[1], 64);
  EXPECT_EQ(model.buffers[2], 1);
}

TEST(ResNet, BlockEndsInTheSumOfBranchAndIdentity) {
  const Model model = make_model("resnet50");
  EXPECT_EQ(find(model, "layer1.0.downsample.0").source, "maxpool");
  EXPECT_EQ(find(model, "layer1.0.add").source, "layer1.0.bn3");
  EXPECT_EQ(find(model, "layer1.1.add").source, "layer1.0.relu3");
}

TEST(ResNet, StrideIsInTheThreeByThreeConvolution) {
  const Model model = make_model("resnet50");
  EXPECT_EQ(find(model, "layer2.0.conv1").stride, 1);
  EXPECT_EQ(find(model, "layer2.0.conv2").stride, 2);
  EXPECT_EQ(find(model, "layer2.0.downsample.0").stride, 2);
  EXPECT_EQ(find(model, "layer2.1.conv2").stride, 1);
}

TEST(ResNet, BasicBlockDownsamplesOnlyWhereItMust) {
  const Model model = make_model("resnet18");
  const auto has = [&](std::string_view name) {
    return std::any_of(model.layers.begin(), model.layers.end(),
                       [&](const Layer& layer) { return layer.name == name; });
  };
  EXPECT_FALSE(has("layer1.0.downsample.0"));
  EXPECT_TRUE(has("layer2.0.downsample.0"));
  EXPECT_EQ(find(model, "layer2.0.conv1").stride, 2);
  EXPECT_EQ(find(model, "layer2.0.relu2").output, (std::vector<std::int64_t>{128, 28, 28}));
}

TEST(ResNet, RegistersParametersAsTorchvisionDoes) {
  const Model model = make_model("resnet50");
  const std::vector<std::string> expected{"conv1.weight",
                                          "bn1.weight",
                                          "bn1.bias",
                                          "layer1.0.conv1.weight",
                                          "layer1.0.bn1.weight",
                                          "layer1.0.bn1.bias",
                                          "layer1.0.conv2.weight",
                                          "layer1.0.bn2.weight",
                                          "layer1.0.bn2.bias",
                                          "layer1.0.conv3.weight",
                                          "layer1.0.bn3.weight",
                                          "layer1.0.bn3.bias",
                                          "layer1.0.downsample.0.weight",
                                          "layer1.0.downsample.1.weight",
                                          "layer1.0.downsample.1.bias",
                                          "layer1.1.conv1.weight"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(model.parameters[i].name, expected[i]);
  }
  EXPECT_EQ(model.parameters.back().name, "fc.bias");
  EXPECT_EQ(model.parameters[0].shape, (std::vector<std::int64_t>{64, 3, 7, 7}));
}

// Five halvings of 33, rounded up: 17, 9, 9, 5, 3, 2.
TEST(ResNet, TakesAnyImageFrom32On) {
  const Model model = make_model("resnet18", 33);
  EXPECT_EQ(find(model, "layer4.1.relu2").output, (std::vector<std::int64_t>{512, 2, 2}));
  EXPECT_EQ(find(make_model("resnet18", 32), "layer4.1.relu2").output,
            (std::vector<std::int64_t>{512, 1, 1}));
  EXPECT_THROW(make_model("resnet18", 31), DataError);
}

}  // namespace
}  // namespace stepcast
