// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the plan of an op on the GPU and compares every operand that it writes with the reference.

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "core/cuda/libraries.hpp"
#include "layers/op.hpp"
#include "tests/reference/reference.hpp"

namespace stepcast {

/// Fixture of all tests that need a GPU: skips without one, and fails instead where
/// STEPCAST_REQUIRE_GPU is 1.
class PlanTest : public testing::Test {
 protected:
  void SetUp() override;
};

/// The handles that all tests of a program share. Errors: LibraryError without a GPU.
const Libraries& test_libraries();

struct CheckOptions {
  /// Of the tolerance in comparison.hpp. 4 leaves room for the rounding of the result (1) and of
  /// partial sums in the result's type; fp32 operands get 8 times as much, since the rounding
  /// errors of a running sum in fp32 itself grow faster than its root, and those of convolutions 32
  /// times, for Winograd and FFT engines. A product in TF32 would be wrong by 256 and 64 times
  /// that.
  double factor = 4;
  /// Candidates that are each run and compared, in the heuristic's order.
  std::size_t most_candidates = 1;
  /// Major compute capability from which a plan must exist; on older GPUs its reason skips.
  int required_from = 8;
  /// Computes the outputs on the CPU.
  std::function<void(const Op&, Tensors&)> judge = reference;
};

/// Fills the inputs with random numbers of the operands' types (the same every time) and the
/// outputs with NaN, then compares what prepare() derives and what enqueue() writes.
///
/// Rounding is judged by the operand's type; where products are made of tf32 numbers, or an fp32
/// result comes out of scores in half precision (attention), by op.in.
void check_plan(const Op& op, const CheckOptions& options = {});

/// As above, for the op with this key.
void check_plan(std::string_view key, const CheckOptions& options = {});

}  // namespace stepcast
