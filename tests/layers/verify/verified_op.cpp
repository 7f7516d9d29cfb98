// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/verify/verified_op.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "core/cuda/stopwatch.hpp"
#include "layers/verify/verify.hpp"
#include "tests/reference/fill.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kSeed = 20261;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_written(const Operand& operand) {
  return operand.role == Role::output || operand.role == Role::in_out;
}

bool is_whole(DType type) { return type == DType::int64 || type == DType::uint8; }

void round_to(DType type, std::vector<double>& values) {
  for (double& value : values) value = rounded(value, type);
}

/// Far out of every tolerance at the sizes of these tests, and near enough to be no NaN or Inf.
double off_by_a_quarter(double value, DType type) {
  if (is_whole(type)) return value > 0 ? value - 1 : 1;
  return value + 0.25 * (1 + std::abs(value));
}

void expect_found(const VerifiedOp& op, const Operand& operand, const char* fault) {
  const Verdict verdict = op.verdict();
  EXPECT_FALSE(verdict.right()) << operand.name << ": " << fault << " was not found";
  EXPECT_GT(verdict.wrong, 0) << operand.name << ": " << fault;
  EXPECT_GT(verdict.worst, 1) << operand.name << ": " << fault;
  EXPECT_NE(verdict.fault.find(operand.name), std::string::npos) << verdict.fault;
}

void expect_change_found(VerifiedOp& op, std::size_t place, std::size_t element, double value,
                         const char* fault) {
  op.change(place, element, value);
  expect_found(op, op.operands()[place], fault);
  op.restore(place);
}

void expect_faults_found(VerifiedOp& op, std::size_t place) {
  const Operand& operand = op.operands()[place];
  const std::vector<double>& right = op.results(place);
  const std::size_t last = right.size() - 1;
  if (!is_whole(operand.type)) expect_change_found(op, place, last / 2, kNaN, "a NaN");
  expect_change_found(op, place, 0, off_by_a_quarter(right.front(), operand.type), "the first");
  expect_change_found(op, place, last, off_by_a_quarter(right.back(), operand.type), "the last");
  op.poison(place);
  expect_found(op, operand, "memory that was not written");
  op.restore(place);
  if (operand.role == Role::in_out && operand.name != "found_inf") {  // 0 is right
    op.leave_unchanged(place);
    expect_found(op, operand, "memory that was not changed");
    op.restore(place);
  }
}

}  // namespace

VerifiedOp::VerifiedOp(std::string_view key, const Edit& edit, const Judge& judge)
    : op_(parse(key)),
      device_(stepcast::operands(op_)),
      before_(stepcast::operands(op_)),
      inputs_(filled(op_, kSeed)) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (edit) edit(operands()[i].name, inputs_[i]);
    round_to(operands()[i].type, inputs_[i]);
  }
  derive(op_, inputs_);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (operands()[i].role == Role::derived) round_to(operands()[i].type, inputs_[i]);
  }
  results_ = inputs_;
  judge(op_, results_);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (is_written(operands()[i])) round_to(operands()[i].type, results_[i]);
    if (operands()[i].role == Role::in_out) before_.upload(i, inputs_[i]);
    restore(i);
  }
}

Verdict VerifiedOp::verdict() const {
  const Stream stream = make_stream();
  return verify(op_, device_.buffers(), before_.buffers(), stream.get());
}

std::size_t VerifiedOp::place_of(std::string_view name) const {
  for (std::size_t i = 0; i < operands().size(); ++i) {
    if (operands()[i].name == name) return i;
  }
  throw std::out_of_range("no operand " + std::string(name));
}

void VerifiedOp::change(std::size_t place, std::size_t element, double value) {
  std::vector<double> changed = results_[place];
  changed[element] = value;
  device_.upload(place, changed);
}

void VerifiedOp::leave_unchanged(std::size_t place) { device_.upload(place, inputs_[place]); }

void VerifiedOp::restore(std::size_t place) { device_.upload(place, results_[place]); }

void expect_verified(std::string_view key, const VerifiedOp::Judge& judge) {
  SCOPED_TRACE(key);
  VerifiedOp op(key, {}, judge);
  const Verdict verdict = op.verdict();
  EXPECT_TRUE(verdict.right()) << verdict.fault;
  EXPECT_LE(verdict.worst, 1);
  std::int64_t written = 0;
  for (std::size_t place = 0; place < op.operands().size(); ++place) {
    if (!is_written(op.operands()[place])) continue;
    written += op.operands()[place].count;
    expect_faults_found(op, place);
  }
  EXPECT_EQ(verdict.checked, written);
}

}  // namespace stepcast
