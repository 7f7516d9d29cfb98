// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/fill.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <string>

#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 65536;

/// Element `index` of the stream of random bits that `seed` names: SplitMix64 (Steele, Lea, Flood
/// 2014), whose state is a counter.
__device__ std::uint64_t random_bits(std::uint64_t seed, std::int64_t index) {
  std::uint64_t z = seed + (static_cast<std::uint64_t>(index) + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

__device__ void store(float value, float* out) { *out = value; }
__device__ void store(float value, __half* out) { *out = __float2half_rn(value); }
__device__ void store(float value, __nv_bfloat16* out) { *out = __float2bfloat16_rn(value); }
__device__ void store(float value, __nv_fp8_e4m3* out) { *out = __nv_fp8_e4m3(value); }  // nearest

template <typename T>
__global__ void write_uniform(T* out, std::int64_t count, float low, float width,
                              std::uint64_t seed) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    constexpr float kMost = 16777215.0F;  // 2^24 - 1: 24 bits are exact in a float
    store(low + width * (static_cast<float>(random_bits(seed, i) >> 40) / kMost), out + i);
  }
}

template <typename T>
__global__ void write_labels(T* out, std::int64_t count, std::uint64_t limit, std::uint64_t seed) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    out[i] = static_cast<T>(static_cast<std::int64_t>(random_bits(seed, i) % limit));
  }
}

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>(std::min(kMaxBlocks, (count + kThreads - 1) / kThreads));
}

template <typename T>
void uniform(void* memory, std::int64_t count, float low, float high, std::uint64_t seed,
             cudaStream_t stream) {
  write_uniform<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<T*>(memory), count, low,
                                                            high - low, seed);
  check_launch("write_uniform");
}

template <typename T>
void labels(void* memory, std::int64_t count, std::int64_t limit, std::uint64_t seed,
            cudaStream_t stream) {
  write_labels<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<T*>(memory), count,
                                                           static_cast<std::uint64_t>(limit), seed);
  check_launch("write_labels");
}

}  // namespace

void fill_uniform(void* memory, DType type, std::int64_t count, float low, float high,
                  std::uint64_t seed, cudaStream_t stream) {
  if (count == 0) return;
  switch (type) {
    case DType::fp32:
    case DType::tf32:
      return uniform<float>(memory, count, low, high, seed, stream);
    case DType::fp16:
      return uniform<__half>(memory, count, low, high, seed, stream);
    case DType::bf16:
      return uniform<__nv_bfloat16>(memory, count, low, high, seed, stream);
    case DType::e4m3:
      return uniform<__nv_fp8_e4m3>(memory, count, low, high, seed, stream);
    case DType::int64:
    case DType::uint8:
      break;
  }
  throw DataError("fill: " + std::string(name(type)) + " takes labels or zeros, no fractions");
}

void fill_labels(void* memory, DType type, std::int64_t count, std::int64_t limit,
                 std::uint64_t seed, cudaStream_t stream) {
  if (limit <= 0) throw DataError("fill: labels below " + std::to_string(limit) + " do not exist");
  if (count == 0) return;
  switch (type) {
    case DType::int64:
      return labels<std::int64_t>(memory, count, limit, seed, stream);
    case DType::uint8:
      return labels<std::uint8_t>(memory, count, limit, seed, stream);
    case DType::fp32:
    case DType::tf32:
      return labels<float>(memory, count, limit, seed, stream);
    case DType::fp16:
    case DType::bf16:
    case DType::e4m3:
      break;
  }
  throw DataError("fill: " + std::string(name(type)) + " is too coarse for labels");
}

void fill_zero(void* memory, DType type, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  check(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(count * element_bytes(type)), stream),
        "filling with zeros");
}

}  // namespace stepcast
