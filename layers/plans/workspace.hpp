// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workspace: the scratch memory of a library's plan, at each of the places in memory that the
// plan's buffers are in.

#include <cstddef>
#include <vector>

#include "core/cuda/device_buffer.hpp"

namespace stepcast {

/// A kernel's time depends on where its scratch memory lies as it does on where its operands lie.
class Workspace {
 public:
  /// At least `bytes` at every place; what was kept there is lost. Not while a stream is captured.
  /// Errors: LibraryError.
  void reserve(std::size_t bytes) {
    bytes_ = bytes;
    for (auto& memory : places_) {
      if (memory.bytes() >= bytes) continue;
      memory = DeviceBuffer<std::byte>();  // the old one goes before the new one comes
      memory = DeviceBuffer<std::byte>(bytes);
    }
  }

  /// What data() and enqueued work use from now on. A place that is new is allocated.
  /// Errors: LibraryError.
  void move_to(std::size_t place) {
    while (places_.size() <= place) places_.emplace_back(bytes_);
    place_ = place;
  }

  [[nodiscard]] void* data() const { return places_[place_].data(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::vector<DeviceBuffer<std::byte>> places_ = std::vector<DeviceBuffer<std::byte>>(1);
  std::size_t bytes_ = 0;
  std::size_t place_ = 0;
};

}  // namespace stepcast
