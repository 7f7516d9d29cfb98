// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an op costs at the least: its arithmetic and the bytes that it must move, with the formula
// beside each in cost.cpp and in words for `--explain`.

#include <cstdint>
#include <string>

#include "core/units.hpp"
#include "layers/op.hpp"

namespace stepcast {

struct Cost {
  Flop flop;          // a multiply-add is two
  Bytes least_bytes;  // to and from DRAM: each operand once per pass that the algorithm needs
  std::string flop_formula;
  std::string bytes_formula;
};

/// FLOP and least bytes of an op. Batch norm and layer norm forward read twice and write once where
/// a second pass cannot be avoided; the native provider's extra passes are counted as traffic()
/// below, never here, so that two providers of one op share their least bytes.
Cost cost(const Op& op);

/// GPU kernels that the op launches (native: as counted from eager PyTorch; libraries: 1).
std::int64_t kernels(const Op& op);

}  // namespace stepcast
