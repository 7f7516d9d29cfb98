// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// FamilyRule: which shape, providers, layouts, epilogues and types an op family takes. One row a
// family, in family_rule.cpp; parse() refuses what does not fit.

#include <string>
#include <vector>

#include "layers/op.hpp"

namespace stepcast {

/// Which types the main operand and result may have. tf32 is a way to multiply, so it stands for
/// matrix products alone, and there for both; e4m3 stands for what linear layers multiply.
enum class TypesRule {
  product,       // fp32, tf32, fp16, bf16; input and output may differ, but not where one is tf32
  linear,        // as product; also e4m3 to bf16, by cublaslt and without an epilogue
  same_product,  // as product, and input and output agree
  real,          // fp32, fp16, bf16; input and output may differ
  same_real,     // as real, and input and output agree
  same_any,      // all but tf32 and e4m3; input and output agree
  converted,     // all but tf32 and e4m3 to fp32, fp16 or bf16; input and output differ
  counter,       // int64
  master         // fp32
};

struct FamilyRule {
  Family family;
  OpClass op_class;
  Shape shape;  // of the right kind, with its defaults
  TypesRule types;
  std::vector<Provider> providers;
  std::vector<Layout> layouts;
  std::vector<Epilogue> epilogues;  // besides none
};

const FamilyRule& family_rule(Family family);

/// What is wrong with the op, as `part 'text': reason`; empty if nothing is. Sizes are positive
/// (padding: from 0, and smaller than the window), groups divide the channels, the window fits into
/// the padded image, and the product of all sizes is below 2^58, so that no count of elements
/// overflows.
std::string fault(const Op& op);

}  // namespace stepcast
