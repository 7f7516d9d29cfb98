// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements that move together in one memory access, and their conversion to and from fp32, in which
// all arithmetic is done.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace stepcast {

template <typename T, int Width>
struct alignas(sizeof(T) * Width) Pack {
  T value[Width];
};

/// Elements of T in 16 bytes, the widest access.
template <typename T>
inline constexpr int kWidest = 16 / static_cast<int>(sizeof(T));

__device__ __forceinline__ std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

/// `memory` must be aligned to the pack.
template <int Width, typename T>
__device__ __forceinline__ Pack<T, Width> load(const T* memory) {
  return *reinterpret_cast<const Pack<T, Width>*>(memory);
}

/// A pack as the 32-bit words that it was loaded as. nvcc gives each two-byte element of a Pack
/// that a thread keeps across iterations a register of its own, which doubles what a ring of loads
/// takes and spills.
template <typename T, int Width>
struct alignas(sizeof(T) * Width) Words {
  unsigned word[sizeof(T) * Width / 4];
};

/// Words where they are whole, else a Pack.
template <typename T, int Width>
using RawPack = std::conditional_t<sizeof(T) * Width % 4 == 0, Words<T, Width>, Pack<T, Width>>;

/// Memory as a Pack or as Words, to whose size it must be aligned.
template <typename Piece, typename T>
__device__ __forceinline__ Piece load_as(const T* memory) {
  return *reinterpret_cast<const Piece*>(memory);
}

template <typename T, int Width>
__device__ __forceinline__ void store(T* memory, const Pack<T, Width>& pack) {
  *reinterpret_cast<Pack<T, Width>*>(memory) = pack;
}

__device__ __forceinline__ float to_float(float value) { return value; }
__device__ __forceinline__ float to_float(__half value) { return __half2float(value); }
__device__ __forceinline__ float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

/// Rounds to nearest even.
template <typename T>
__device__ __forceinline__ T from_float(float value);
template <>
__device__ __forceinline__ float from_float<float>(float value) {
  return value;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

template <typename T, int Width>
__device__ __forceinline__ Pack<float, Width> unpack(const Pack<T, Width>& pack) {
  Pack<float, Width> result;
#pragma unroll
  for (int i = 0; i < Width; ++i) result.value[i] = to_float(pack.value[i]);
  return result;
}

template <typename T, int Width>
__device__ __forceinline__ Pack<float, Width> unpack(const Words<T, Width>& words) {
  Pack<float, Width> result;
  if constexpr (std::is_same_v<T, float>) {
#pragma unroll
    for (int i = 0; i < Width; ++i) result.value[i] = __uint_as_float(words.word[i]);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
#pragma unroll
    for (int i = 0; i < Width; i += 2) {
      result.value[i] = __uint_as_float(words.word[i / 2] << 16);
      result.value[i + 1] = __uint_as_float(words.word[i / 2] & 0xffff0000U);
    }
  } else {
#pragma unroll
    for (int i = 0; i < Width; i += 2) {
      const float2 pair = __half22float2(reinterpret_cast<const __half2&>(words.word[i / 2]));
      result.value[i] = pair.x;
      result.value[i + 1] = pair.y;
    }
  }
  return result;
}

template <typename T>
struct PairOf;
template <>
struct PairOf<__half> {
  using type = __half2;
  static __device__ __forceinline__ type from(float a, float b) { return __floats2half2_rn(a, b); }
};
template <>
struct PairOf<__nv_bfloat16> {
  using type = __nv_bfloat162;
  static __device__ __forceinline__ type from(float a, float b) {
    return __floats2bfloat162_rn(a, b);
  }
};

/// Rounds to nearest even; half types two at a time, which is one instruction.
template <typename T, int Width>
__device__ __forceinline__ Pack<T, Width> packed(const Pack<float, Width>& values) {
  if constexpr (std::is_same_v<T, float>) {
    return values;
  } else if constexpr (Width % 2 == 0) {
    Pack<T, Width> result;
#pragma unroll
    for (int i = 0; i < Width; i += 2) {
      const auto pair = PairOf<T>::from(values.value[i], values.value[i + 1]);
      result.value[i] = pair.x;
      result.value[i + 1] = pair.y;
    }
    return result;
  } else {
    Pack<T, Width> result;
#pragma unroll
    for (int i = 0; i < Width; ++i) result.value[i] = from_float<T>(values.value[i]);
    return result;
  }
}

/// The name of a type in the names of kernels.
template <typename T>
constexpr const char* type_text = "?";
template <>
inline constexpr const char* type_text<float> = "fp32";
template <>
inline constexpr const char* type_text<__half> = "fp16";
template <>
inline constexpr const char* type_text<__nv_bfloat16> = "bf16";

}  // namespace stepcast
