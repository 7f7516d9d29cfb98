// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan keeps for each of the buffer sets that it is bound to.

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace stepcast {

template <typename T>
class BufferSets {
 public:
  /// What belongs to these buffers. make() makes it the first time; it then stays where it is.
  template <typename Make>
  T& at(std::span<void* const> buffers, const Make& make) {
    std::vector<void*> addresses(buffers.begin(), buffers.end());
    const auto found = made_.find(addresses);
    if (found != made_.end()) return found->second;
    return made_.emplace(std::move(addresses), make()).first->second;
  }

 private:
  std::map<std::vector<void*>, T> made_;
};

}  // namespace stepcast
