// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <variant>

#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

struct Relu {
  __device__ double operator()(double x) const { return x < 0.0 ? 0.0 : x; }
};

struct ReluGradient {
  __device__ double operator()(double dy, double y) const { return y > 0.0 ? dy : 0.0; }
};

/// The normal distribution's integral up to x.
__device__ double normal_integral(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

struct Gelu {
  __device__ double operator()(double x) const { return x * normal_integral(x); }
};

struct GeluGradient {
  __device__ double operator()(double dy, double x) const {
    const double density = exp(-0.5 * x * x) * (0.5 * M_2_SQRTPI * M_SQRT1_2);  // 1 / sqrt(2 pi)
    return dy * (normal_integral(x) + x * density);
  }
};

struct Plus {
  __device__ double operator()(double a, double b) const { return a + b; }
};

struct Half {
  __device__ double operator()(double x) const { return 0.5 * x; }
};

struct Identity {
  __device__ double operator()(double x) const { return x; }
};

struct PlusOne {
  __device__ double operator()(double y) const { return y + 1.0; }
};

struct Nothing : NoState {
  struct None {};
  __device__ __forceinline__ None read(const Element&) const { return {}; }
  __device__ __forceinline__ double want(None, State) const { return 0.0; }
};

template <typename A, typename Function>
struct OfOne : NoState {
  const A* a;
  Function function;

  OfOne(const A* first, Function f) : a(first), function(f) {}
  __device__ __forceinline__ A read(const Element& element) const { return a[element.index]; }
  __device__ __forceinline__ double want(A value, State) const {
    return function(to_double(value));
  }
};

template <typename A, typename B, typename Function>
struct OfTwo : NoState {
  struct Pair {
    A a;
    B b;
  };

  const A* a;
  const B* b;
  Function function;

  OfTwo(const A* first, const B* second, Function f) : a(first), b(second), function(f) {}
  __device__ __forceinline__ Pair read(const Element& element) const {
    return {a[element.index], b[element.index]};
  }
  __device__ __forceinline__ double want(const Pair& pair, State) const {
    return function(to_double(pair.a), to_double(pair.b));
  }
};

template <typename A, typename Y, typename Function>
void compare_one(const VerifyCase& checked, std::int64_t elements, Function function) {
  compare_all<Y>(checked, "y", run_view(elements), OfOne(input<A>(checked, "x"), function));
}

template <typename T, typename Function>
void compare_gradient(const VerifyCase& checked, std::int64_t elements, const char* other,
                      Function function) {
  compare_all<T>(checked, "dx", run_view(elements),
                 OfTwo(input<T>(checked, "dy"), input<T>(checked, other), function));
}

/// Activations and halves: of one type.
template <typename T>
void compare_same(const VerifyCase& checked, std::int64_t elements) {
  switch (checked.op.family) {
    case Family::relu_fwd:
      return compare_one<T, T>(checked, elements, Relu{});
    case Family::relu_bwd:
      return compare_gradient<T>(checked, elements, "y", ReluGradient{});
    case Family::gelu_fwd:
      return compare_one<T, T>(checked, elements, Gelu{});
    case Family::gelu_bwd:
      return compare_gradient<T>(checked, elements, "x", GeluGradient{});
    default:  // scale
      return compare_one<T, T>(checked, elements, Half{});
  }
}

void compare_sum(const VerifyCase& checked, std::int64_t elements) {
  with_real_type(checked.op.in, [&](auto in) {
    with_real_type(checked.op.out, [&](auto out) {
      using A = typename decltype(in)::type;
      using Y = typename decltype(out)::type;
      compare_all<Y>(checked, "y", run_view(elements),
                     OfTwo(input<A>(checked, "a"), input<Y>(checked, "b"), Plus{}));
    });
  });
}

void compare_cast(const VerifyCase& checked, std::int64_t elements) {
  with_stored_type(checked.op.in, [&](auto in) {
    with_real_type(checked.op.out, [&](auto out) {
      compare_one<typename decltype(in)::type, typename decltype(out)::type>(checked, elements,
                                                                             Identity{});
    });
  });
}

}  // namespace

void verify_elementwise(const VerifyCase& checked) {
  const std::int64_t elements = std::get<ElementsShape>(checked.op.shape).e;
  switch (checked.op.family) {
    case Family::add:
      return compare_sum(checked, elements);
    case Family::cast:
      return compare_cast(checked, elements);
    case Family::increment:
      return compare_all<std::int64_t>(checked, "y", run_view(elements),
                                       OfOne(initial<std::int64_t>(checked, "y"), PlusOne{}));
    case Family::copy:
      return with_stored_type(checked.op.out, [&](auto type) {
        using T = typename decltype(type)::type;
        compare_one<T, T>(checked, elements, Identity{});
      });
    case Family::zero:
      return with_stored_type(checked.op.out, [&](auto type) {
        using T = typename decltype(type)::type;
        compare_all<T>(checked, "y", run_view(elements), Nothing{});
      });
    default:
      return with_real_type(checked.op.in, [&](auto type) {
        compare_same<typename decltype(type)::type>(checked, elements);
      });
  }
}

}  // namespace stepcast
