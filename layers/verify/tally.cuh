// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comparing on the device: a kernel computes what an element should be, a Comparer compares it with
// what is stored, and a Tally collects what all threads found. Used like this:
//
//   __global__ void check_copy(const float* x, Target<float> y, std::int64_t count) {
//     Comparer<float> comparer(y);
//     for (... i ...) comparer.compare(i, to_double(x[i]));
//     comparer.merge();  // by all lanes of a warp: no thread returns early
//   }
//   check_copy<<<blocks, threads, 0, checked.stream>>>(input<float>(checked, "x"),
//                                                      target<float>(checked, "y"), count);

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/cuda/device_buffer.hpp"
#include "layers/operands.hpp"
#include "layers/verify/references.hpp"
#include "layers/verify/stored.cuh"
#include "layers/verify/tally_slot.hpp"
#include "layers/verify/tolerance.hpp"
#include "layers/verify/verdict.hpp"

namespace stepcast {

/// An operand that the op wrote, as kernels take it: by value.
template <typename T>
struct Target {
  const T* got = nullptr;
  Allowance allowance;
  TallySlot* slot = nullptr;
};

/// One thread's findings in one operand. Registers only until merge().
class Findings {
 public:
  /// Compares element `index` of the operand's memory with what it should be.
  __device__ __forceinline__ void compare(std::int64_t index, double got, double want,
                                          const Allowance& allowance) {
    const double error = fabs(got - want);
    const double allowed = allowance.relative * fabs(want) + allowance.absolute;
    ++checked_;
    if (error <= allowed) {  // false for NaN
      if (error > 0) {
        worst_ = fmaxf(worst_, static_cast<float>(error) / static_cast<float>(allowed));
      }
      return;
    }
    ++wrong_;
    const bool measurable = allowed > 0 && isfinite(error);
    worst_ = measurable ? fmaxf(worst_, static_cast<float>(error / allowed)) : kInfinity;
    if (index < first_) {
      first_ = index;
      got_ = got;
      want_ = want;
      allowed_ = allowed;
    }
  }

  /// Adds the findings to the operand's slot, and forgets them. All 32 lanes of the warp must call.
  __device__ __forceinline__ void merge(TallySlot* slot) {
    constexpr unsigned kAll = 0xffffffffU;
    const bool leader = (threadIdx.x + threadIdx.y * blockDim.x) % 32 == 0;
    const unsigned checked = __reduce_add_sync(kAll, checked_);
    const unsigned worst = __reduce_max_sync(kAll, __float_as_uint(worst_));
    if (leader && checked > 0) {
      atomicAdd(&slot->checked, static_cast<unsigned long long>(checked));
      if (worst > *reinterpret_cast<volatile unsigned*>(&slot->worst)) {
        atomicMax(&slot->worst, worst);
      }
    }
    if (__any_sync(kAll, wrong_ > 0)) {
      const unsigned wrong = __reduce_add_sync(kAll, wrong_);
      if (leader) atomicAdd(&slot->wrong, static_cast<unsigned long long>(wrong));
      if (wrong_ > 0) record(slot);
      __syncwarp();
    }
    *this = Findings();
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  /// Few threads come here when results are right, and few get past the first line when they are
  /// not.
  __device__ void record(TallySlot* slot) const {
    volatile long long* first = &slot->first;
    if (first_ >= *first) return;
    while (atomicCAS(&slot->lock, 0U, 1U) != 0U) __nanosleep(200);
    __threadfence();
    if (first_ < *first) {
      *first = first_;
      *reinterpret_cast<volatile double*>(&slot->got) = got_;
      *reinterpret_cast<volatile double*>(&slot->want) = want_;
      *reinterpret_cast<volatile double*>(&slot->allowed) = allowed_;
    }
    __threadfence();
    atomicExch(&slot->lock, 0U);
  }

  std::int64_t first_ = kNone;
  double got_ = 0, want_ = 0, allowed_ = 0;
  unsigned checked_ = 0, wrong_ = 0;
  float worst_ = 0;
};

/// One thread's findings in one operand, which reads what is stored itself.
template <typename T>
class Comparer {
 public:
  __device__ __forceinline__ explicit Comparer(const Target<T>& target) : target_(target) {}

  __device__ __forceinline__ void compare(std::int64_t index, double want) {
    compare(index, want, target_.allowance);
  }

  /// As above, within an allowance of this element's own.
  __device__ __forceinline__ void compare(std::int64_t index, double want,
                                          const Allowance& allowance) {
    findings_.compare(index, to_double(target_.got[index]), want, allowance);
  }

  /// All 32 lanes of the warp must call.
  __device__ __forceinline__ void merge() { findings_.merge(target_.slot); }

 private:
  const Target<T> target_;
  Findings findings_;
};

/// The findings in each operand of an op.
class Tally {
 public:
  /// Errors: LibraryError.
  explicit Tally(std::vector<Operand> operands);

  [[nodiscard]] const std::vector<Operand>& operands() const { return operands_; }
  [[nodiscard]] TallySlot* slot(std::size_t place) const { return slots_.data() + place; }

  /// Forgets all findings. Waits for the stream.
  void reset(cudaStream_t stream);

  /// Waits for the stream.
  [[nodiscard]] Verdict verdict(cudaStream_t stream) const;

 private:
  std::vector<Operand> operands_;
  DeviceBuffer<TallySlot> slots_;
};

/// The place of an operand by name. Errors: DataError if the op has none of this name.
std::size_t place_of(const VerifyCase& checked, std::string_view name);

/// True if the op has an operand of this name (bias, aux, z, ...).
bool has_operand(const VerifyCase& checked, std::string_view name);

/// The memory of an operand after the op ran; for what it only reads, the data.
template <typename T>
const T* input(const VerifyCase& checked, std::string_view name) {
  return static_cast<const T*>(checked.buffers[place_of(checked, name)]);
}

/// What an operand of Role::in_out held before the op ran.
template <typename T>
const T* initial(const VerifyCase& checked, std::string_view name) {
  return static_cast<const T*>(checked.initial[place_of(checked, name)]);
}

/// The allowance of one operand of the op, by its place.
Allowance allowance_at(const VerifyCase& checked, std::size_t place);

/// An operand that the op wrote, with its allowance.
template <typename T>
Target<T> target(const VerifyCase& checked, std::string_view name) {
  const std::size_t place = place_of(checked, name);
  return {static_cast<const T*>(checked.buffers[place]), allowance_at(checked, place),
          checked.tally.slot(place)};
}

}  // namespace stepcast
