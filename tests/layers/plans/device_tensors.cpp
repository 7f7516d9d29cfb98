// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/plans/device_tensors.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

/// Calls use(T{}) with the C++ type that stores `type`.
template <typename Use>
auto with_stored_type(DType type, Use use) {
  switch (type) {
    case DType::fp16:
      return use(__half{});
    case DType::bf16:
      return use(__nv_bfloat16{});
    case DType::int64:
      return use(std::int64_t{});
    case DType::uint8:
      return use(std::uint8_t{});
    case DType::e4m3:
      return use(__nv_fp8_e4m3{});
    default:
      return use(float{});
  }
}

template <typename T>
T stored(double value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __double2half(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __double2bfloat16(value);
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
double loaded(T value) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<double>(__half2float(value));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<double>(__bfloat162float(value));
  } else {
    return static_cast<double>(value);
  }
}

}  // namespace

double rounded(double value, DType type) {
  return with_stored_type(type,
                          [value](auto zero) { return loaded(stored<decltype(zero)>(value)); });
}

DeviceTensors::DeviceTensors(std::vector<Operand> operands) : operands_(std::move(operands)) {
  for (std::size_t place = 0; place < operands_.size(); ++place) {
    const Operand& operand = operands_[place];
    memory_.emplace_back(static_cast<std::size_t>(operand.count * element_bytes(operand.type)));
    pointers_.push_back(memory_.back().data());
    poison(place);
  }
}

void DeviceTensors::upload(std::size_t place, std::span<const double> values) {
  with_stored_type(operands_[place].type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> host(values.size());
    std::transform(values.begin(), values.end(), host.begin(), stored<T>);
    check(cudaMemcpy(pointers_[place], host.data(), memory_[place].bytes(), cudaMemcpyHostToDevice),
          "uploading " + operands_[place].name);
    // A copy from pageable memory may return before its last piece has landed.
    check(cudaDeviceSynchronize(), "uploading " + operands_[place].name);
  });
}

void DeviceTensors::poison(std::size_t place) {
  check(cudaMemset(pointers_[place], 0xFF, memory_[place].bytes()),
        "poisoning " + operands_[place].name);
  check(cudaDeviceSynchronize(), "poisoning " + operands_[place].name);
}

std::vector<double> DeviceTensors::download(std::size_t place) const {
  return with_stored_type(operands_[place].type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> host(static_cast<std::size_t>(operands_[place].count));
    check(cudaMemcpy(host.data(), pointers_[place], memory_[place].bytes(), cudaMemcpyDeviceToHost),
          "downloading " + operands_[place].name);
    std::vector<double> values(host.size());
    std::transform(host.begin(), host.end(), values.begin(), loaded<T>);
    return values;
  });
}

}  // namespace stepcast
