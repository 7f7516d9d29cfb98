// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Launching: a kernel bound to its arguments, and template choices made from an op's types.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/cuda/check.hpp"
#include "core/dtype.hpp"
#include "layers/plans/kernel_list.hpp"

namespace stepcast {

/// Binds a kernel to its arguments; it is launched each time that the launch is called.
template <typename... Parameters, typename... Arguments>
KernelList::Launch bind_kernel(const std::string& name, void (*kernel)(Parameters...), dim3 grid,
                               dim3 block, Arguments... arguments) {
  return [=](cudaStream_t stream) {
    kernel<<<grid, block, 0, stream>>>(static_cast<Parameters>(arguments)...);
    check_launch(name);
  };
}

template <typename... Parameters, typename... Arguments>
void add_kernel(KernelList& list, const std::string& name, void (*kernel)(Parameters...), dim3 grid,
                dim3 block, Arguments... arguments) {
  list.add(name, bind_kernel(name, kernel, grid, block, arguments...));
}

template <typename T>
struct TypeTag {
  using type = T;
};

/// Calls use(TypeTag<T>) for fp32, fp16 and bf16; `otherwise` for other types.
template <typename Use>
KernelList with_real(DType type, KernelList otherwise, Use use) {
  switch (storage(type)) {
    case DType::fp32:
      return use(TypeTag<float>{});
    case DType::fp16:
      return use(TypeTag<__half>{});
    case DType::bf16:
      return use(TypeTag<__nv_bfloat16>{});
    default:
      return otherwise;
  }
}

/// "<a,b,...>" of a kernel's template choices, for its name.
template <typename... Choices>
std::string choices(const Choices&... choice) {
  std::string text;
  const auto append = [&](const auto& value) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      text += (text.empty() ? "<" : ",") + std::to_string(value);
    } else {
      text += (text.empty() ? "<" : ",") + std::string(value);
    }
  };
  (append(choice), ...);
  return text + ">";
}

/// Blocks of a one-dimensional grid in which each block takes `each` of `all`.
/// Errors: LibraryError if the GPU cannot count so many blocks.
inline unsigned blocks_for(std::int64_t all, std::int64_t each,
                           SourceLocation where = SourceLocation::current()) {
  const std::int64_t blocks = std::max<std::int64_t>(1, (all + each - 1) / each);
  if (blocks > INT32_MAX) {
    check(cudaErrorInvalidConfiguration, "sizing a grid beyond 2^31 blocks", where);
  }
  return static_cast<unsigned>(blocks);
}

/// The largest power of two that is at most `value` (at least 1).
constexpr int last_power_of_two(std::int64_t value) {
  int power = 1;
  while (power < (1 << 30) && std::int64_t{2} * power <= value) power *= 2;
  return power;
}

}  // namespace stepcast
