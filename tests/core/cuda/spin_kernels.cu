// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/check.hpp"
#include "tests/core/cuda/spin_kernels.hpp"

namespace stepcast::testing {
namespace {

/// By the GPU's global timer, which runs on whatever the clocks are.
__device__ void wait(std::int64_t nanoseconds) {
  std::int64_t start = 0;
  std::int64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

}  // namespace

// Outside of the unnamed namespace, whose mangled name holds the file's.
__global__ void spinTest(std::int64_t nanoseconds) { wait(nanoseconds); }

template <typename T>
__global__ void nchwToNhwcTest(std::int64_t nanoseconds) {
  wait(nanoseconds);
}

void spin(std::int64_t nanoseconds, cudaStream_t stream) {
  spinTest<<<1, 1, 0, stream>>>(nanoseconds);
  check_launch("spinTest");
}

void spin_as_conversion(std::int64_t nanoseconds, cudaStream_t stream) {
  nchwToNhwcTest<float><<<1, 1, 0, stream>>>(nanoseconds);
  check_launch("nchwToNhwcTest");
}

}  // namespace stepcast::testing
