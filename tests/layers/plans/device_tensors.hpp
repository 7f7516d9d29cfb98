// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// An op's operands in device memory, to and from doubles.

#include <cstddef>
#include <span>
#include <vector>

#include "core/cuda/device_buffer.hpp"
#include "layers/operands.hpp"

namespace stepcast {

/// The number nearest to value that the type can hold; tf32 is stored as fp32.
double rounded(double value, DType type);

class DeviceTensors {
 public:
  /// Allocates; the memory is full of NaN (bytes 0xFF: -1 in int64, 255 in uint8).
  explicit DeviceTensors(std::vector<Operand> operands);

  [[nodiscard]] const std::vector<Operand>& operands() const { return operands_; }
  /// As make_plan() wants them.
  [[nodiscard]] std::span<void* const> buffers() const { return pointers_; }

  void upload(std::size_t place, std::span<const double> values);
  void poison(std::size_t place);
  [[nodiscard]] std::vector<double> download(std::size_t place) const;

 private:
  std::vector<Operand> operands_;
  std::vector<DeviceBuffer<std::byte>> memory_;
  std::vector<void*> pointers_;
};

}  // namespace stepcast
