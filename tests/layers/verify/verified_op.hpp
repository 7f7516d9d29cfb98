// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests of verify(): results that the CPU reference computed must be right, and no fault that is
// put into them may pass.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "layers/op.hpp"
#include "layers/verify/verdict.hpp"
#include "tests/layers/plans/device_tensors.hpp"
#include "tests/layers/plans/key_cases.hpp"
#include "tests/reference/reference.hpp"

namespace stepcast {

/// An op on the device after it ran, with the results of the CPU reference, rounded to their types.
class VerifiedOp {
 public:
  /// `edit` changes the inputs by name of the operand before anything is computed from them.
  using Edit = std::function<void(std::string_view name, std::vector<double>& values)>;
  /// Computes the results on the CPU.
  using Judge = std::function<void(const Op&, Tensors&)>;
  explicit VerifiedOp(std::string_view key, const Edit& edit = {}, const Judge& judge = reference);

  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] const std::vector<Operand>& operands() const { return device_.operands(); }
  [[nodiscard]] const std::vector<double>& results(std::size_t place) const {
    return results_[place];
  }
  [[nodiscard]] std::size_t place_of(std::string_view name) const;

  void change(std::size_t place, std::size_t element, double value);  // one of an operand's
  void poison(std::size_t place) { device_.poison(place); }
  void leave_unchanged(std::size_t place);  // what an operand of Role::in_out held before
  void restore(std::size_t place);          // the right results

 private:
  Op op_;
  DeviceTensors device_;
  DeviceTensors before_;  // of Role::in_out
  Tensors inputs_;
  Tensors results_;
};

/// Expects the results of the op to be right, and each of these faults to be found in each operand
/// that it writes: a NaN, a value that is off by a quarter in the first and in the last element,
/// memory that was never written, or not changed.
void expect_verified(std::string_view key, const VerifiedOp::Judge& judge = reference);

/// Fixture of tests whose parameter is "provider/types/layout".
class VerifyTest : public KernelTest {
 protected:
  static void expect_shapes(const std::string& family, const std::vector<std::string>& shapes) {
    for (const std::string& shape : shapes) {
      expect_verified(family + "/" + GetParam() + "/" + shape);
    }
  }
};

}  // namespace stepcast
