// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// KernelList: our own kernels that make up one op, bound to its memory, in launch order. What a
// family's .cu file makes and a KernelPlan runs.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// Device memory of operands(op), in that order.
using Buffers = std::span<void* const>;

struct KernelList {
  using Launch = std::function<void(cudaStream_t)>;

  std::string name;    // kernels with their template choices, joined by '+'
  std::string reason;  // why there are none; not empty exactly where launches is empty
  std::vector<Launch> launches;
  std::vector<Launch> prepare;  // fill operands of Role::derived
  std::vector<DeviceBuffer<std::byte>> workspace;

  /// Appends a launch; a kernel that runs several times in a row is named once.
  void add(const std::string& kernel, Launch launch) {
    if (kernel != last_) name += (name.empty() ? "" : "+") + kernel;
    last_ = kernel;
    launches.push_back(std::move(launch));
  }

  /// Workspace that the list owns, zeroed: counters must start from zero and are left so.
  template <typename T>
  T* zeroed(std::int64_t count) {
    auto& buffer = workspace.emplace_back(static_cast<std::size_t>(count) * sizeof(T));
    if (count > 0) check(cudaMemset(buffer.data(), 0, buffer.bytes()), "zeroing a workspace");
    check(cudaDeviceSynchronize(), "zeroing a workspace");
    return reinterpret_cast<T*>(buffer.data());
  }

 private:
  std::string last_;
};

/// A list that holds only why there is none.
inline KernelList refusal(std::string reason) {
  KernelList list;
  list.reason = std::move(reason);
  return list;
}

/// "FAMILY by PROVIDER does not take TYPES".
inline KernelList refuse_types(const Op& op) {
  return refusal(std::string(name(op.family)) + " by " + std::string(name(op.provider)) +
                 " does not take " + types_text(op));
}

}  // namespace stepcast
