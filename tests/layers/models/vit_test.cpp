// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/models/vit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace stepcast {
namespace {

using Shapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

// 224 / 16 = 14 patches a side, 196 and the class token; width 768, in-projection 3 x 768, MLP 4 x.
TEST(Vit, HasItsShapesInEveryLayerOfB16) {
  Shapes expected{{"conv_proj", {768, 14, 14}}, {"tokens", {197, 768}}};
  for (int block = 0; block < 12; ++block) {
    const std::string name = fmt::format("encoder.{}.", block);
    expected.insert(expected.end(), {{name + "ln_1", {197, 768}},
                                     {name + "self_attention.in_proj", {197, 2304}},
                                     {name + "self_attention.attention", {197, 768}},
                                     {name + "self_attention.out_proj", {197, 768}},
                                     {name + "add_1", {197, 768}},
                                     {name + "ln_2", {197, 768}},
                                     {name + "mlp.fc1", {197, 3072}},
                                     {name + "mlp.gelu", {197, 3072}},
                                     {name + "mlp.fc2", {197, 768}},
                                     {name + "add_2", {197, 768}}});
  }
  expected.insert(
      expected.end(),
      {{"encoder.ln", {197, 768}}, {"select_token", {768}}, {"head", {1000}}, {"loss", {1}}});
  Shapes shapes;
  for (const Layer& layer : make_model("vit_b_16").layers) {
    shapes.emplace_back(layer.name, layer.output);
  }
  EXPECT_EQ(shapes, expected);
}

TEST(Vit, RegistersParametersAsTorchvisionDoes) {
  const Model model = make_model("vit_b_16");
  const std::string block = "encoder.layers.encoder_layer_0.";
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> expected{
      {"class_token", {1, 1, 768}},
      {"conv_proj.weight", {768, 3, 16, 16}},
      {"conv_proj.bias", {768}},
      {"encoder.pos_embedding", {1, 197, 768}},
      {block + "ln_1.weight", {768}},
      {block + "ln_1.bias", {768}},
      {block + "self_attention.in_proj_weight", {2304, 768}},
      {block + "self_attention.in_proj_bias", {2304}},
      {block + "self_attention.out_proj.weight", {768, 768}},
      {block + "self_attention.out_proj.bias", {768}},
      {block + "ln_2.weight", {768}},
      {block + "ln_2.bias", {768}},
      {block + "mlp.0.weight", {3072, 768}},
      {block + "mlp.0.bias", {3072}},
      {block + "mlp.3.weight", {768, 3072}},
      {block + "mlp.3.bias", {768}},
      {"encoder.layers.encoder_layer_1.ln_1.weight", {768}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(model.parameters[i].name, expected[i].first);
    EXPECT_EQ(model.parameters[i].shape, expected[i].second);
  }
  const std::size_t count = model.parameters.size();
  EXPECT_EQ(model.parameters[count - 4].name, "encoder.ln.weight");
  EXPECT_EQ(model.parameters[count - 2].name, "heads.head.weight");
  EXPECT_EQ(model.parameters[count - 1].name, "heads.head.bias");
}

TEST(Vit, AddsTheInputOfEachHalfOfABlock) {
  const Model model = make_model("vit_b_16");
  std::vector<std::string> sources;
  for (const Layer& layer : model.layers) {
    if (layer.kind == LayerKind::residual_add) sources.push_back(layer.source);
  }
  ASSERT_EQ(sources.size(), 24U);
  EXPECT_EQ(sources[0], "tokens");
  EXPECT_EQ(sources[1], "encoder.0.add_1");
  EXPECT_EQ(sources[2], "encoder.0.add_2");
}

TEST(Vit, HasNoBuffers) { EXPECT_TRUE(make_model("vit_l_16").buffers.empty()); }

TEST(Vit, TakesMultiplesOfItsPatchSizeAlone) {
  // 384 / 32 = 12 patches a side.
  EXPECT_EQ(make_model("vit_b_32", 384).layers[1].output, (std::vector<std::int64_t>{145, 768}));
  EXPECT_THROW(make_model("vit_b_32", 240), DataError);
  EXPECT_THROW(make_model("vit_b_16", 0), DataError);
  EXPECT_THROW(make_model("vit_b_16", -16), DataError);
  EXPECT_NO_THROW(make_model("vit_b_16", 240));
}

}  // namespace
}  // namespace stepcast
