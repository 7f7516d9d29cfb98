// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Add, cast, scale, zero and increment, for both of our providers.

#include <string>

#include "layers/plans/kernel_families.hpp"
#include "layers/plans/map.cuh"

namespace stepcast {

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Same {
  template <typename T>
  __device__ T operator()(T x) const {
    return x;
  }
};

struct Halve {
  __device__ float operator()(float x) const { return 0.5F * x; }
};

template <typename T>
struct Zero {
  __device__ T operator()() const { return T{0}; }
};

struct Increment {
  __device__ std::int64_t operator()(std::int64_t y) const { return y + 1; }
};

/// Calls use(TypeTag<A>, TypeTag<Y>) with the op's two types.
template <typename Use>
KernelList with_real_pair(const Op& op, Use use) {
  return with_real(op.in, refuse_types(op), [&](auto in) {
    return with_real(op.out, refuse_types(op), [&](auto out) { return use(in, out); });
  });
}

template <typename Shape>
KernelList add_or_cast(const Op& op, Buffers b, std::int64_t n) {
  return with_real_pair(op, [&](auto in, auto out) {
    using A = typename decltype(in)::type;
    using Y = typename decltype(out)::type;
    KernelList list;
    const std::string types = choices(type_text<A>, type_text<Y>);
    if (op.family == Family::add) {
      add_map<Shape, Y, A, Y>(list, "add" + types, Sum{}, n, b[2], b[0], b[1]);
    } else {
      add_map<Shape, Y, A>(list, "cast" + types, Same{}, n, b[1], b[0]);
    }
    return list;
  });
}

template <typename Shape>
KernelList halve(const Op& op, Buffers b, std::int64_t n) {
  if (op.in != op.out) return refuse_types(op);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelList list;
    add_map<Shape, T, T>(list, "scale" + choices(type_text<T>), Halve{}, n, b[1], b[0]);
    return list;
  });
}

template <typename Shape, typename Word>
KernelList zero_words(std::int64_t words, void* y) {
  KernelList list;
  add_map<Shape, Word>(list, "zero" + choices(8 * sizeof(Word)), Zero<Word>{}, words, y);
  return list;
}

template <typename Shape>
KernelList increment(const Op& op, Buffers b, std::int64_t n) {
  if (op.in != DType::int64 || op.out != DType::int64) return refuse_types(op);
  KernelList list;
  add_map<Shape, std::int64_t, std::int64_t>(list, "increment<int64>", Increment{}, n, b[0], b[0]);
  return list;
}

}  // namespace stepcast
