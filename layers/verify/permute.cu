// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "layers/verify/compare_all.cuh"

namespace stepcast {
namespace {

/// y[b,a,c] = x[a,b,c]; y as [outer b][channels a][inner c].
template <typename T>
struct Swapped : NoState {
  const T* x;
  std::int64_t b, c;

  Swapped(const T* from, const PermuteShape& s) : x(from), b(s.b), c(s.c) {}
  __device__ __forceinline__ T read(const Element& element) const {
    return x[(element.channel * b + element.outer) * c + element.inner];
  }
  __device__ __forceinline__ double want(T value, State) const { return to_double(value); }
};

}  // namespace

void verify_permute(const VerifyCase& checked) {
  const auto& s = std::get<PermuteShape>(checked.op.shape);
  with_stored_type(checked.op.out, [&](auto type) {
    using T = typename decltype(type)::type;
    compare_all<T>(checked, "y", {s.b, s.a, s.c}, Swapped(input<T>(checked, "x"), s));
  });
}

}  // namespace stepcast
