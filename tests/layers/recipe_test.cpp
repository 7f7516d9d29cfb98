// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/recipe.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "layers/op.hpp"

namespace stepcast {
namespace {

/// All recipes, precisions and layouts of a model, with and without DDP.
class EveryRecipe : public testing::TestWithParam<std::string_view> {
 protected:
  template <typename Check>
  void for_each(Check check) const {
    const Model model = make_model(GetParam());
    for (const auto& [kind, kind_name] : kRecipeNames) {
      for (const DType precision : {DType::fp32, DType::tf32, DType::fp16, DType::bf16}) {
        for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
          for (const bool ddp : {false, true}) {
            const RecipeOptions options{kind, precision, layout, 16, ddp};
            SCOPED_TRACE(std::string(kind_name) + " " + std::string(name(precision)) + " " +
                         std::string(name(layout)) + (ddp ? " ddp" : ""));
            check(model, options);
          }
        }
      }
    }
  }
};

TEST_P(EveryRecipe, KeysReadBackAsTheirOps) {
  for_each([](const Model& model, const RecipeOptions& options) {
    for (const PlacedOp& placed : step_ops(model, options)) {
      ASSERT_EQ(parse(key(placed.op)), placed.op) << place_name(placed, options);
      ASSERT_GE(placed.count, 1) << place_name(placed, options);
    }
  });
}

TEST_P(EveryRecipe, NamesEachPlaceOnce) {
  for_each([](const Model& model, const RecipeOptions& options) {
    std::set<std::string> names;
    for (const PlacedOp& placed : step_ops(model, options)) {
      const std::string name = place_name(placed, options);
      EXPECT_TRUE(names.insert(name).second) << name;
    }
  });
}

TEST_P(EveryRecipe, MakesEachGradientReadyOnceInBackward) {
  for_each([](const Model& model, const RecipeOptions& options) {
    std::vector<int> backward(model.parameters.size());
    std::vector<int> finalize(model.parameters.size());
    for (const PlacedOp& placed : step_ops(model, options)) {
      for (const std::int64_t parameter : placed.ready) {
        ASSERT_TRUE(placed.phase == Phase::backward || placed.phase == Phase::finalize);
        auto& seen = placed.phase == Phase::backward ? backward : finalize;
        ++seen.at(static_cast<std::size_t>(parameter));
      }
    }
    EXPECT_EQ(backward, std::vector<int>(model.parameters.size(), 1));
    const bool copies_out = options.kind == RecipeKind::eager && options.ddp;
    EXPECT_EQ(finalize, std::vector<int>(model.parameters.size(), copies_out ? 1 : 0));
  });
}

TEST_P(EveryRecipe, GoesThroughItsPhasesInOrder) {
  for_each([](const Model& model, const RecipeOptions& options) {
    Phase last = Phase::forward;
    for (const PlacedOp& placed : step_ops(model, options)) {
      ASSERT_GE(placed.phase, last) << place_name(placed, options);
      last = placed.phase;
    }
    EXPECT_EQ(last, Phase::optimizer);
  });
}

/// The shape for twice the images, where the shape's first letter counts images or their elements.
struct Doubled {
  Shape operator()(ConvShape s) const { return s.n *= 2, s; }
  Shape operator()(GemmShape s) const { return s.m *= 2, s; }
  Shape operator()(AttentionShape s) const { return s.b *= 2, s; }
  Shape operator()(ImageShape s) const { return s.n *= 2, s; }
  Shape operator()(PoolShape s) const { return s.n *= 2, s; }
  Shape operator()(MatrixShape s) const { return s.m *= 2, s; }
  Shape operator()(ElementsShape s) const { return s.e *= 2, s; }
  Shape operator()(TensorsShape s) const { return s.e *= 2, s; }
  Shape operator()(PermuteShape s) const { return s.a *= 2, s; }
};

/// Works on parameters or single values, whatever the batch.
bool is_batchless(const PlacedOp& placed) {
  static const std::set<std::string> roles{"cast_weight",     "cast_bias",     "cast_grad_weight",
                                           "cast_grad_bias",  "increment",     "fill_stats_fwd",
                                           "fill_stats_bwd",  "scale_loss",    "fill_loss_grad",
                                           "scale_loss_grad", "inverse_scale", "fill_found_inf",
                                           "unscale",         "sgd",           "cast_weights"};
  return roles.count(placed.role) == 1 || placed.role.rfind("copy_in_", 0) == 0 ||
         placed.role.rfind("copy_out_", 0) == 0 || placed.role.rfind("copy_buffer_", 0) == 0;
}

TEST_P(EveryRecipe, GrowsWithTheBatchExceptOnParameters) {
  for_each([](const Model& model, RecipeOptions options) {
    const std::vector<PlacedOp> once = step_ops(model, options);
    options.batch *= 2;
    const std::vector<PlacedOp> twice = step_ops(model, options);
    ASSERT_EQ(once.size(), twice.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      Op expected = once[i].op;
      if (!is_batchless(once[i])) expected.shape = std::visit(Doubled{}, expected.shape);
      Op found = twice[i].op;
      // [tokens][images][width] and [3][rows][width] have their images in the second letter.
      if (auto* permute = std::get_if<PermuteShape>(&found.shape)) {
        const auto& before = std::get<PermuteShape>(once[i].op.shape);
        ASSERT_TRUE((permute->a == before.a) != (permute->b == before.b)) << key(found);
        if (permute->a == before.a) {
          permute->a *= 2;
          permute->b /= 2;
        }
      }
      ASSERT_EQ(key(found), key(expected)) << place_name(once[i], options);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Models, EveryRecipe,
                         testing::ValuesIn(model_names().begin(), model_names().end()),
                         [](const auto& model) { return std::string(model.param); });

TEST(Recipe, PlaceIsNamedByLayerRoleAndModelOptions) {
  const RecipeOptions options{RecipeKind::eager, DType::fp16, Layout::nhwc, 32, false};
  PlacedOp placed;
  placed.op = parse("cast/native/fp32-fp16/flat/e36864");
  placed.layer = "layer1.0.conv2";
  placed.role = "cast_weight";
  EXPECT_EQ(place_name(placed, options), "layer1.0.conv2/cast_weight/native/fp16/nhwc/n32");
}

TEST(Recipe, RefusesWhatNoModelRunsIn) {
  const Model model = make_model("resnet18");
  EXPECT_THROW(step_ops(model, {RecipeKind::eager, DType::int64}), DataError);
  EXPECT_THROW(step_ops(model, {RecipeKind::eager, DType::uint8}), DataError);
  EXPECT_THROW(step_ops(model, {RecipeKind::eager, DType::bf16, Layout::row}), DataError);
  EXPECT_THROW(step_ops(model, {RecipeKind::fused, DType::bf16, Layout::nhwc, 0}), DataError);
}

}  // namespace
}  // namespace stepcast
