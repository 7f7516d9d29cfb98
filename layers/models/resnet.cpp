// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/models/resnet.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/error.hpp"
#include "layers/models/model_builder.hpp"

namespace stepcast {
namespace {

struct Block {
  std::int64_t width = 0;   // channels of the inner convolutions
  std::int64_t output = 0;  // channels of the block's result
  std::int64_t stride = 1;
  bool downsample = false;  // the identity goes through a 1x1 convolution
};

void add_conv_norm(ModelBuilder& model, const std::string& block, int number, std::int64_t channels,
                   ModelBuilder::Window window) {
  model.conv(fmt::format("{}.conv{}", block, number), channels, window);
  model.batchnorm(fmt::format("{}.bn{}", block, number));
}

void add_block(ModelBuilder& model, const std::string& name, bool bottleneck, const Block& block) {
  std::string identity = model.last();
  const int last = bottleneck ? 3 : 2;
  if (bottleneck) {
    add_conv_norm(model, name, 1, block.width, {1, 1, 0});
    model.relu(name + ".relu1");
    add_conv_norm(model, name, 2, block.width, {3, block.stride, 1});
    model.relu(name + ".relu2");
    add_conv_norm(model, name, 3, block.output, {1, 1, 0});
  } else {
    add_conv_norm(model, name, 1, block.width, {3, block.stride, 1});
    model.relu(name + ".relu1");
    add_conv_norm(model, name, 2, block.output, {3, 1, 1});
  }
  if (block.downsample) {
    const std::string branch = model.last();
    model.conv(name + ".downsample.0", block.output, {1, block.stride, 0}, false, identity);
    model.batchnorm(name + ".downsample.1");
    identity = branch;
  }
  model.residual_add(name + ".add", identity);
  model.relu(fmt::format("{}.relu{}", name, last));
}

}  // namespace

Model make_resnet(std::string_view name, const ResNetSpec& spec, std::int64_t image_size,
                  std::int64_t classes) {
  if (image_size < 32) {
    throw DataError(
        fmt::format("image size {}: {} takes images of at least 32 x 32", image_size, name));
  }
  ModelBuilder model(std::string(name), image_size, classes);
  model.conv("conv1", 64, {7, 2, 3});
  model.batchnorm("bn1");
  model.relu("relu");
  model.maxpool("maxpool", {3, 2, 1});

  const std::int64_t expansion = spec.bottleneck ? 4 : 1;
  std::int64_t channels = 64;
  for (std::size_t stage = 0; stage < spec.blocks.size(); ++stage) {
    Block block;
    block.width = std::int64_t{64} << stage;
    block.output = block.width * expansion;
    for (std::int64_t i = 0; i < spec.blocks.at(stage); ++i) {
      block.stride = i == 0 && stage > 0 ? 2 : 1;
      block.downsample = block.stride != 1 || channels != block.output;
      add_block(model, fmt::format("layer{}.{}", stage + 1, i), spec.bottleneck, block);
      channels = block.output;
    }
  }
  model.global_avgpool("avgpool");
  model.linear("fc", "fc.", classes);
  model.loss("loss");
  return std::move(model).finish();
}

}  // namespace stepcast
