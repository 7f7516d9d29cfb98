// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers with a unit: time, data and work, and the quotients that a roofline needs. Each is one
// double; arithmetic computes the unit, and adding seconds to bytes does not compile.

#include <compare>

namespace stepcast {

/// A double with the unit s^Time * B^Data * FLOP^Work.
template <int Time, int Data, int Work>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  /// The raw number in seconds, bytes and FLOP; for the program's edges (a CSV column, a format).
  [[nodiscard]] constexpr double count() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }

 private:
  double value_ = 0.0;
};

template <int T, int D, int W>
constexpr Quantity<T, D, W> operator+(Quantity<T, D, W> a, Quantity<T, D, W> b) {
  return Quantity<T, D, W>(a.count() + b.count());
}

template <int T, int D, int W>
constexpr Quantity<T, D, W> operator-(Quantity<T, D, W> a, Quantity<T, D, W> b) {
  return Quantity<T, D, W>(a.count() - b.count());
}

template <int T, int D, int W>
constexpr Quantity<T, D, W> operator*(Quantity<T, D, W> a, double factor) {
  return Quantity<T, D, W>(a.count() * factor);
}

template <int T, int D, int W>
constexpr Quantity<T, D, W> operator*(double factor, Quantity<T, D, W> a) {
  return a * factor;
}

template <int T, int D, int W>
constexpr Quantity<T, D, W> operator/(Quantity<T, D, W> a, double divisor) {
  return Quantity<T, D, W>(a.count() / divisor);
}

/// A quotient of like quantities is a plain number.
template <int T, int D, int W>
constexpr double operator/(Quantity<T, D, W> a, Quantity<T, D, W> b) {
  return a.count() / b.count();
}

template <int T1, int D1, int W1, int T2, int D2, int W2>
constexpr Quantity<T1 - T2, D1 - D2, W1 - W2> operator/(Quantity<T1, D1, W1> a,
                                                        Quantity<T2, D2, W2> b) {
  return Quantity<T1 - T2, D1 - D2, W1 - W2>(a.count() / b.count());
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flop = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using FlopPerSecond = Quantity<-1, 0, 1>;
using FlopPerByte = Quantity<0, -1, 1>;

constexpr Bytes kib(double n) { return Bytes(n * 1024.0); }
constexpr Bytes mib(double n) { return Bytes(n * 1024.0 * 1024.0); }
constexpr Seconds milliseconds(double n) { return Seconds(n * 1e-3); }
constexpr Seconds microseconds(double n) { return Seconds(n * 1e-6); }
constexpr BytesPerSecond gbps(double n) { return BytesPerSecond(n * 1e9); }

}  // namespace stepcast
