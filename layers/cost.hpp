// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an op costs at the least: its arithmetic and the bytes that it must move, with the formula
// beside each in cost.cpp and in words for `--explain`.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/units.hpp"
#include "layers/op.hpp"

namespace stepcast {

struct Cost {
  Flop flop;            // a multiply-add is two
  Bytes least_bytes;    // to and from DRAM: each operand once per pass that the algorithm needs
  Bytes written_bytes;  // those of them that are written
  std::string flop_formula;
  std::string bytes_formula;
};

/// FLOP and least bytes of an op. Batch norm and layer norm forward read twice and write once where
/// a second pass cannot be avoided; the native provider's extra passes are counted as traffic()
/// below, never here, so that two providers of one op share their least bytes.
Cost cost(const Op& op);

/// Cold or hot: which of an op's two measured times a step has.
///
/// An op whose least bytes exceed the L2 finds its operands in DRAM (cold); one that fits finds
/// what the op before it has just written in L2 (hot). Source: docs/model.md, "Time of an op".
std::string_view cache_mode(const Cost& cost, Bytes l2);

/// GPU kernels that the op launches (native: as counted from eager PyTorch; libraries: 1).
std::int64_t kernels(const Op& op);

}  // namespace stepcast
