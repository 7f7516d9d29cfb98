// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/strided.cuh"

namespace stepcast {
namespace {

/// y[b,a,c] = x[a,b,c], one element.
template <typename Word, typename Index>
struct PermuteElement {
  Word* y;
  const Word* x;
  FastDiv<Index> a;
  FastDiv<Index> c;
  Index b;

  __device__ void operator()(Index i) const {
    Index in_c = i;
    Index in_a = c.divide(in_c);
    const Index in_b = a.divide(in_a);
    y[i] = x[(in_a * b + in_b) * c.divisor() + in_c];
  }
};

template <typename Word>
KernelList permute(const PermuteShape& s, Buffers buffers) {
  KernelList list;
  const std::string name = "permute_strided" + choices(8 * sizeof(Word));
  add_strided(list, name, s.a * s.b * s.c, [&](auto tag) {
    using Index = typename decltype(tag)::type;
    return PermuteElement<Word, Index>{static_cast<Word*>(buffers[1]),
                                       static_cast<const Word*>(buffers[0]), FastDiv<Index>(s.a),
                                       FastDiv<Index>(s.c), static_cast<Index>(s.b)};
  });
  return list;
}

}  // namespace

KernelList permute_native(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  const auto& s = std::get<PermuteShape>(op.shape);
  switch (element_bytes(op.in)) {
    case 1:
      return permute<std::uint8_t>(s, buffers);
    case 2:
      return permute<std::uint16_t>(s, buffers);
    case 4:
      return permute<std::uint32_t>(s, buffers);
    default:
      return permute<std::uint64_t>(s, buffers);
  }
}

}  // namespace stepcast
