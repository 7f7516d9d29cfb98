// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/verify/data_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layers/operands.hpp"
#include "layers/verify/moments.hpp"

namespace stepcast {
namespace {

constexpr std::int64_t kFewest = 1024;  // the variance of 1024 numbers is right within 3 %
constexpr double kSlack = 0.1;

std::string fault(const void* memory, const Operand& operand, cudaStream_t stream) {
  const Moments found = moments(memory, operand.type, operand.count, stream);
  if (found.infinite > 0) {
    return fmt::format("operand {}: {} elements of the data are not finite", operand.name,
                       found.infinite);
  }
  if (operand.count < kFewest) return {};
  const auto count = static_cast<double>(operand.count);
  const double mean = found.sum / count;
  const double variance = found.squares / count - mean * mean;
  const double wanted = operand.fill == Fill::uniform ? 1.0 / 3 : 1.0 / 12;
  if (std::abs(variance - wanted) <= kSlack * wanted) return {};
  if (std::abs(variance) < 1e-12) {
    return fmt::format("operand {}: data is constant, {}", operand.name, mean);
  }
  return fmt::format("operand {}: data has a variance of {:.3g}, wanted {:.3g}", operand.name,
                     variance, wanted);
}

}  // namespace

std::string data_fault(const VerifyCase& checked) {
  const std::vector<Operand> list = operands(checked.op);
  for (std::size_t place = 0; place < list.size(); ++place) {
    const Operand& operand = list[place];
    const bool random = operand.fill == Fill::uniform || operand.fill == Fill::positive;
    const bool read = operand.role == Role::input || operand.role == Role::in_out;
    if (!random || !read || operand.count == 0) continue;
    const void* memory =
        operand.role == Role::in_out ? checked.initial[place] : checked.buffers[place];
    if (std::string wrong = fault(memory, operand, checked.stream); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace stepcast
