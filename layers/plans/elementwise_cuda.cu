// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/elementwise.cuh"

namespace stepcast {

KernelList elementwise_cuda(const Op& op, Buffers b, const cudaDeviceProp&) {
  const std::int64_t n = std::get<ElementsShape>(op.shape).e;
  const std::int64_t bytes = n * element_bytes(op.out);
  KernelList list;
  switch (op.family) {
    case Family::add:
    case Family::cast:
      return add_or_cast<CudaShape>(op, b, n);
    case Family::scale:
      return halve<CudaShape>(op, b, n);
    case Family::increment:
      return increment<CudaShape>(op, b, n);
    case Family::zero:
      return zero_words<CudaShape, std::uint8_t>(bytes, b[0]);
    default:  // copy: bytes, whatever they stand for
      if (op.in != op.out) return refuse_types(op);
      add_map<CudaShape, std::uint8_t, std::uint8_t>(list, "copy<8>", Same{}, bytes, b[1], b[0]);
      return list;
  }
}

}  // namespace stepcast
