// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Division by a number that is known before the kernel starts, as a multiplication and a shift.

#include <cstdint>
#include <type_traits>

namespace stepcast {

/// Quotients and remainders of 0 <= n < 2^(B-1) by a divisor >= 1, in B = 32 or 64 bits.
/// With l = ceil(log2 d) and m = ceil(2^(B-1+l) / d), the quotient is floor(m n / 2^(B-1+l)): the
/// error of m is below d <= 2^l, so the product's error is below n 2^l < 2^(B-1+l).
template <typename Index>
class FastDiv {
  static_assert(std::is_same_v<Index, std::uint32_t> || std::is_same_v<Index, std::uint64_t>);
  static constexpr int kBits = 8 * sizeof(Index);

 public:
  explicit FastDiv(std::int64_t divisor) : divisor_(static_cast<Index>(divisor)) {
    int log2 = 0;
    while ((std::uint64_t{1} << log2) < static_cast<std::uint64_t>(divisor)) ++log2;
    shift_ = log2 - 1;  // -1 stands for the divisor 1
    if (log2 == 0) return;
    const unsigned __int128 power = static_cast<unsigned __int128>(1) << (kBits - 1 + log2);
    multiplier_ = static_cast<Index>((power + divisor - 1) / divisor);
  }

  __device__ __forceinline__ Index quotient(Index n) const {
    if (shift_ < 0) return n;
    if constexpr (kBits == 32) {
      return __umulhi(n, multiplier_) >> shift_;
    } else {
      return __umul64hi(n, multiplier_) >> shift_;
    }
  }

  /// Replaces n by its remainder and returns the quotient.
  __device__ __forceinline__ Index divide(Index& n) const {
    const Index q = quotient(n);
    n -= q * divisor_;
    return q;
  }

  __device__ __forceinline__ Index divisor() const { return divisor_; }

 private:
  Index divisor_;
  Index multiplier_ = 0;
  int shift_ = -1;
};

}  // namespace stepcast
