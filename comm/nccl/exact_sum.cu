// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/exact_sum.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <string>

#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 4096;

__device__ int term(std::int64_t index, int rank) {
  const auto low = static_cast<std::uint32_t>(index);
  const auto high = static_cast<std::uint32_t>(index >> 32);
  std::uint32_t x = low * 2654435761u + high * 40503u + static_cast<std::uint32_t>(rank) * 97u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 12;
  return static_cast<int>(x & 3u);
}

template <typename T>
__global__ void fill_kernel(T* data, std::int64_t count, int rank) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    data[i] = static_cast<T>(static_cast<float>(term(i, rank)));
  }
}

template <typename T>
__global__ void count_kernel(const T* data, std::int64_t count, int ranks,
                             unsigned long long* wrong) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    int sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += term(i, rank);
    // Written so that NaN counts.
    if (!(static_cast<float>(data[i]) == static_cast<float>(sum))) ++mine;
  }
  if (mine > 0) atomicAdd(wrong, mine);
}

unsigned blocks(std::int64_t count) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((count + kThreads - 1) / kThreads, 1, kMostBlocks));
}

/// Calls `launch` with a null pointer of the type's C++ counterpart.
template <typename Launch>
void with_type(DType dtype, const Launch& launch) {
  switch (dtype) {
    case DType::fp32:
      return launch(static_cast<float*>(nullptr));
    case DType::fp16:
      return launch(static_cast<__half*>(nullptr));
    case DType::bf16:
      return launch(static_cast<__nv_bfloat16*>(nullptr));
    case DType::tf32:
    case DType::int64:
    case DType::uint8:
    case DType::e4m3:
      break;
  }
  throw DataError("dtype: gradients are fp32, fp16 or bf16, not " + std::string(name(dtype)));
}

}  // namespace

void fill_terms(DType dtype, void* data, std::int64_t count, int rank, cudaStream_t stream) {
  with_type(dtype, [&](auto* type) {
    fill_kernel<<<blocks(count), kThreads, 0, stream>>>(static_cast<decltype(type)>(data), count,
                                                        rank);
  });
  check_launch("filling allreduce operands");
}

void count_wrong(DType dtype, const void* data, std::int64_t count, int ranks,
                 unsigned long long* wrong, cudaStream_t stream) {
  with_type(dtype, [&](auto* type) {
    count_kernel<<<blocks(count), kThreads, 0, stream>>>(
        static_cast<const std::remove_pointer_t<decltype(type)>*>(data), count, ranks, wrong);
  });
  check_launch("counting wrong elements");
}

}  // namespace stepcast
