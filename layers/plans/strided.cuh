// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch's elementwise kernel for operands that are not dense: a thread takes four elements, 128
// apart, one after the other, and computes each one's place by division.

#include <cstdint>
#include <string>

#include "layers/plans/fast_div.cuh"
#include "layers/plans/launch.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {

inline constexpr int kStridedThreads = 128;
inline constexpr int kStridedEach = 4;

/// Calls element(i) for each i below n.
template <typename Index, typename Element>
__global__ __launch_bounds__(kStridedThreads) void strided_kernel(Element element, Index n) {
  Index i = static_cast<Index>(blockIdx.x) * (kStridedThreads * kStridedEach) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kStridedEach; ++k) {
    if (i < n) element(i);
    i += kStridedThreads;
  }
}

/// Adds the kernel over n elements. make(TypeTag<Index>) gives the element function, whose indices
/// have 32 bits wherever n allows.
template <typename Make>
void add_strided(KernelList& list, const std::string& name, std::int64_t n, Make make) {
  const unsigned blocks = blocks_for(n, kStridedThreads * kStridedEach);
  const auto add = [&](auto tag) {
    using Index = typename decltype(tag)::type;
    const auto element = make(tag);
    add_kernel(list, name + choices(8 * sizeof(Index)),
               strided_kernel<Index, std::decay_t<decltype(element)>>, blocks, kStridedThreads,
               element, static_cast<Index>(n));
  };
  // The last block's indices reach up to its own size beyond n.
  if (n < INT32_MAX - kStridedThreads * kStridedEach) {
    add(TypeTag<std::uint32_t>{});
  } else {
    add(TypeTag<std::uint64_t>{});
  }
}

}  // namespace stepcast
