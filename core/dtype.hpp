// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types of operands. The first four are also the precisions that a model can be trained in;
// in e4m3 there are its linear layers' products alone.

#include <cstdint>
#include <string_view>

#include "core/enum_names.hpp"
#include "core/units.hpp"

namespace stepcast {

/// tf32 is stored as fp32 and multiplied in TF32; fp32 is IEEE fp32 and never TF32.
/// Matrix products of fp16, bf16 and e4m3 accumulate in fp32. e4m3 is the 8-bit float with 4 bits
/// of exponent and 3 of mantissa, up to 448 and without infinities.
enum class DType { fp32, tf32, fp16, bf16, int64, uint8, e4m3 };

inline constexpr EnumNames<DType, 7> kDTypeNames{{{DType::fp32, "fp32"},
                                                  {DType::tf32, "tf32"},
                                                  {DType::fp16, "fp16"},
                                                  {DType::bf16, "bf16"},
                                                  {DType::int64, "int64"},
                                                  {DType::uint8, "uint8"},
                                                  {DType::e4m3, "e4m3"}}};

constexpr std::string_view name(DType type) { return enum_name(kDTypeNames, type); }

/// Bytes that one element takes in memory.
constexpr std::int64_t element_bytes(DType type) {
  switch (type) {
    case DType::fp32:
    case DType::tf32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::int64:
      return 8;
    case DType::uint8:
    case DType::e4m3:
      return 1;
  }
  return 0;
}

/// The type in which a model of this precision keeps what autocast leaves alone: tf32 becomes fp32.
constexpr DType storage(DType type) { return type == DType::tf32 ? DType::fp32 : type; }

}  // namespace stepcast
