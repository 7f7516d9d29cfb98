// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arena: one allocation that the operands of all cases share, one case after the other.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/device_buffer.hpp"

namespace stepcast {

/// The device has not the memory that a case needs.
struct MemoryShortage {
  std::string reason;      // bytes needed and free
  bool ever_fits = false;  // whether the whole device would be large enough
};

class Arena {
 public:
  /// Device memory for pieces of these sizes, each aligned to 256 bytes. What was handed out before
  /// is no longer valid. Grows where needed.
  /// Errors: MemoryShortage is thrown; LibraryError.
  std::vector<void*> pieces(std::span<const std::size_t> bytes);

  /// Bytes that pieces() could hand out: those that are free, and those that it has.
  /// Errors: LibraryError.
  [[nodiscard]] std::size_t available() const;

 private:
  void reserve(std::size_t bytes);

  DeviceBuffer<unsigned char> memory_;
};

}  // namespace stepcast
