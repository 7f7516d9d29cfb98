// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/op.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>

#include "core/error.hpp"
#include "layers/family_rule.hpp"
#include "layers/shape_fields.hpp"

namespace stepcast {
namespace {

/// The key that is being read; says what is wrong with it.
class KeyReader {
 public:
  explicit KeyReader(std::string_view key) : key_(key) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("op key '{}': {}", key_, what));
  }

  /// The five parts between the slashes.
  [[nodiscard]] std::array<std::string_view, 5> parts() const {
    std::array<std::string_view, 5> parts;
    std::string_view rest = key_;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto slash = rest.find('/');
      if ((slash == std::string_view::npos) != (i + 1 == parts.size())) {
        fail("it must have the 5 parts family/provider/types/layout/shape");
      }
      parts.at(i) = rest.substr(0, slash);
      if (i + 1 < parts.size()) rest.remove_prefix(slash + 1);
    }
    return parts;
  }

  template <typename Enum, std::size_t N>
  [[nodiscard]] Enum value(const EnumNames<Enum, N>& names, std::string_view text,
                           std::string_view what) const {
    if (const auto found = enum_value(names, text)) return *found;
    std::string choices;
    for (const auto& entry : names) choices += fmt::format(" {}", entry.second);
    fail(fmt::format("{} '{}' is none of{}", what, text, choices));
  }

  /// Fills the members of a shape from `n32c64...`, letters in the struct's order.
  template <typename S>
  void read_shape(std::string_view text, S& shape) const {
    std::string_view rest = text;
    for (const auto& field : fields(shape)) {
      if (rest.empty() || rest.front() != field.letter) {
        if (field.optional) continue;
        fail(fmt::format("shape '{}': '{}' is expected before '{}'", text, field.letter, rest));
      }
      rest.remove_prefix(1);
      std::int64_t& number = shape.*field.member;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error == std::errc::result_out_of_range) {
        fail(fmt::format("shape '{}': the number of '{}' is too large", text, field.letter));
      }
      if (error != std::errc()) {
        fail(fmt::format("shape '{}': '{}' has no number", text, field.letter));
      }
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    if (!rest.empty()) fail(fmt::format("shape '{}': '{}' is left over", text, rest));
  }

 private:
  std::string_view key_;
};

}  // namespace

OpClass op_class(Family family) { return family_rule(family).op_class; }

std::string types_text(const Op& op) {
  return op.in == op.out ? std::string(name(op.in))
                         : fmt::format("{}-{}", name(op.in), name(op.out));
}

std::string shape_text(const Shape& shape) {
  std::string text;
  std::visit(
      [&](const auto& s) {
        const std::decay_t<decltype(s)> defaults;
        for (const auto& field : fields(s)) {
          if (field.optional && s.*field.member == defaults.*field.member) continue;
          text += fmt::format("{}{}", field.letter, s.*field.member);
        }
      },
      shape);
  return text;
}

std::string key(const Op& op) {
  std::string text(name(op.family));
  if (op.epilogue != Epilogue::none) text += fmt::format("+{}", name(op.epilogue));
  return fmt::format("{}/{}/{}/{}/{}", text, name(op.provider), types_text(op), name(op.layout),
                     shape_text(op.shape));
}

Op parse(std::string_view key_text) {
  const KeyReader reader(key_text);
  const auto [family, provider, types, layout, shape] = reader.parts();

  Op op;
  const auto plus = family.find('+');
  op.family = reader.value(kFamilyNames, family.substr(0, plus), "family");
  if (plus != std::string_view::npos) {
    op.epilogue = reader.value(kEpilogueNames, family.substr(plus + 1), "epilogue");
  }
  op.provider = reader.value(kProviderNames, provider, "provider");
  const auto dash = types.find('-');
  op.in = reader.value(kDTypeNames, types.substr(0, dash), "type");
  op.out = dash == std::string_view::npos
               ? op.in
               : reader.value(kDTypeNames, types.substr(dash + 1), "type");
  op.layout = reader.value(kLayoutNames, layout, "layout");
  op.shape = family_rule(op.family).shape;
  std::visit([&reader, text = shape](auto& s) { reader.read_shape(text, s); }, op.shape);

  if (const std::string wrong = fault(op); !wrong.empty()) reader.fail(wrong);
  if (key(op) != key_text) reader.fail(fmt::format("it is written '{}'", key(op)));
  return op;
}

}  // namespace stepcast
