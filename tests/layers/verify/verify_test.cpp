// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/verify.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "tests/layers/verify/verified_op.hpp"

namespace stepcast {
namespace {

using Verify = PlanTest;

constexpr const char* kConv = "conv_fprop/cudnn/fp16/nhwc/n4c16h9w9k32r3s3u1p1";

/// Every value of one operand becomes value(old value).
template <typename Value>
VerifiedOp::Edit edited(std::string_view operand, Value value) {
  return [=](std::string_view name, std::vector<double>& values) {
    if (name == operand) std::transform(values.begin(), values.end(), values.begin(), value);
  };
}

std::string data_fault(std::string_view key, const VerifiedOp::Edit& edit) {
  const Verdict verdict = VerifiedOp(key, edit).verdict();
  EXPECT_FALSE(verdict.right());
  return verdict.fault;
}

TEST_F(Verify, DataOfZerosIsAFaultThoughTheResultIsRight) {
  EXPECT_EQ(data_fault(kConv, edited("x", [](double) { return 0.0; })),
            "operand x: data is constant, 0");
  EXPECT_EQ(data_fault(kConv, edited("w", [](double) { return 0.5; })),
            "operand w: data is constant, 0.5");
}

TEST_F(Verify, DataOfAnotherWidthIsAFault) {
  EXPECT_NE(data_fault(kConv, edited("x", [](double x) { return 0.5 * x; })).find("variance"),
            std::string::npos);
}

TEST_F(Verify, DataThatIsNotFiniteIsAFault) {
  const auto edit = [](std::string_view name, std::vector<double>& values) {
    if (name == "x") values[0] = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(data_fault(kConv, edit), "operand x: 1 elements of the data are not finite");
}

TEST_F(Verify, OneWrongSignInTheLastImageIsFound) {
  VerifiedOp op(kConv);
  const std::size_t y = op.place_of("y");
  const std::size_t place = op.results(y).size() - 40;
  op.change(y, place, -op.results(y)[place]);
  const Verdict verdict = op.verdict();
  EXPECT_EQ(verdict.wrong, 1);
  EXPECT_NE(verdict.fault.find("y[" + std::to_string(place) + "]"), std::string::npos)
      << verdict.fault;
}

TEST_F(Verify, TheFirstOfManyWrongElementsIsNamed) {
  VerifiedOp op(kConv);
  op.poison(op.place_of("y"));
  const Verdict verdict = op.verdict();
  EXPECT_EQ(verdict.wrong, verdict.checked);
  EXPECT_EQ(verdict.worst, std::numeric_limits<double>::infinity());
  EXPECT_EQ(verdict.fault.find("y[0] is"), 0U) << verdict.fault;
}

TEST_F(Verify, MissingMemoryIsRefused) {
  const Op op = parse(kConv);
  EXPECT_THROW(static_cast<void>(verify(op, {}, {}, nullptr)), DataError);
}

}  // namespace
}  // namespace stepcast
