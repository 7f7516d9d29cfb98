// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types in which operands are stored, and their way to double.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <string>

#include "core/dtype.hpp"
#include "core/error.hpp"

namespace stepcast {

__host__ __device__ __forceinline__ double to_double(float value) { return value; }
__host__ __device__ __forceinline__ double to_double(__half value) {
  return static_cast<double>(__half2float(value));
}
__host__ __device__ __forceinline__ double to_double(__nv_bfloat16 value) {
  return static_cast<double>(__bfloat162float(value));
}
__host__ __device__ __forceinline__ double to_double(__nv_fp8_e4m3 value) {
  return static_cast<double>(static_cast<float>(value));
}
__host__ __device__ __forceinline__ double to_double(double value) { return value; }
__host__ __device__ __forceinline__ double to_double(std::int64_t value) {
  return static_cast<double>(value);
}
__host__ __device__ __forceinline__ double to_double(std::uint8_t value) { return value; }

/// Element `index` of memory that stores `type`, where the type is not worth a template. No whole
/// numbers.
__device__ __forceinline__ double read(const void* memory, DType type, std::int64_t index) {
  switch (type) {
    case DType::fp16:
      return to_double(static_cast<const __half*>(memory)[index]);
    case DType::bf16:
      return to_double(static_cast<const __nv_bfloat16*>(memory)[index]);
    case DType::e4m3:
      return to_double(static_cast<const __nv_fp8_e4m3*>(memory)[index]);
    default:
      return to_double(static_cast<const float*>(memory)[index]);
  }
}

/// A type as an argument.
template <typename T>
struct StoredAs {
  using type = T;
};

/// Calls use(StoredAs<T>) with the type in which fp32, tf32, fp16 or bf16 is stored.
/// Errors: DataError for other types.
template <typename Use>
void with_real_type(DType type, Use use) {
  switch (type) {
    case DType::fp32:
    case DType::tf32:
      return use(StoredAs<float>{});
    case DType::fp16:
      return use(StoredAs<__half>{});
    case DType::bf16:
      return use(StoredAs<__nv_bfloat16>{});
    default:
      break;
  }
  throw DataError("verify: " + std::string(name(type)) + " is not fp32 tf32 fp16 bf16");
}

/// As with_real_type(), with e4m3 too: what matrix products multiply.
template <typename Use>
void with_factor_type(DType type, Use use) {
  if (type == DType::e4m3) return use(StoredAs<__nv_fp8_e4m3>{});
  with_real_type(type, use);
}

/// As with_real_type(), with int64 and uint8 too.
template <typename Use>
void with_stored_type(DType type, Use use) {
  switch (type) {
    case DType::int64:
      return use(StoredAs<std::int64_t>{});
    case DType::uint8:
      return use(StoredAs<std::uint8_t>{});
    default:
      return with_real_type(type, use);
  }
}

}  // namespace stepcast
