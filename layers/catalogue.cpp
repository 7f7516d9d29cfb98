// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// The catalogue of models: what make_model() and model_names() of layers/model.hpp know.

#include <array>
#include <string>
#include <variant>

#include "core/error.hpp"
#include "layers/model.hpp"
#include "layers/models/resnet.hpp"
#include "layers/models/vit.hpp"

namespace stepcast {
namespace {

struct Entry {
  std::string_view name;
  std::variant<ResNetSpec, VitSpec> spec;
};

// Sizes: torchvision's models/resnet.py and models/vision_transformer.py.
constexpr std::array<Entry, 8> kCatalogue{{
    {"resnet18", ResNetSpec{false, {2, 2, 2, 2}}},
    {"resnet34", ResNetSpec{false, {3, 4, 6, 3}}},
    {"resnet50", ResNetSpec{true, {3, 4, 6, 3}}},
    {"resnet101", ResNetSpec{true, {3, 4, 23, 3}}},
    {"resnet152", ResNetSpec{true, {3, 8, 36, 3}}},
    {"vit_b_16", VitSpec{16, 12, 12, 768, 3072}},
    {"vit_b_32", VitSpec{32, 12, 12, 768, 3072}},
    {"vit_l_16", VitSpec{16, 24, 16, 1024, 4096}},
}};

constexpr auto catalogue_names() {
  std::array<std::string_view, kCatalogue.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names.at(i) = kCatalogue.at(i).name;
  return names;
}

constexpr auto kNames = catalogue_names();

}  // namespace

std::span<const std::string_view> model_names() { return kNames; }

Model make_model(std::string_view name, std::int64_t image_size, std::int64_t classes) {
  for (const Entry& entry : kCatalogue) {
    if (entry.name != name) continue;
    if (const auto* resnet = std::get_if<ResNetSpec>(&entry.spec)) {
      return make_resnet(name, *resnet, image_size, classes);
    }
    return make_vit(name, std::get<VitSpec>(entry.spec), image_size, classes);
  }
  std::string message = "model: '" + std::string(name) + "' is none of";
  for (const std::string_view known : kNames) message += " " + std::string(known);
  throw DataError(message);
}

}  // namespace stepcast
