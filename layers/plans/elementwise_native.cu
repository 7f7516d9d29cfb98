// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/elementwise.cuh"

namespace stepcast {
namespace {

KernelList zero_by_type(const Op& op, std::int64_t n, void* y) {
  switch (element_bytes(op.out)) {
    case 1:
      return zero_words<NativeShape, std::uint8_t>(n, y);
    case 2:
      return zero_words<NativeShape, std::uint16_t>(n, y);
    case 4:
      return zero_words<NativeShape, std::uint32_t>(n, y);
    default:
      return zero_words<NativeShape, std::uint64_t>(n, y);
  }
}

/// PyTorch copies contiguous tensors of one type with cudaMemcpyAsync, not with a kernel.
KernelList memory_copy(const Op& op, Buffers b, std::int64_t n) {
  if (op.in != op.out) return refuse_types(op);
  const auto bytes = static_cast<std::size_t>(n * element_bytes(op.out));
  KernelList list;
  list.add("memcpy", [to = b[1], from = b[0], bytes](cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copying");
  });
  return list;
}

}  // namespace

KernelList elementwise_native(const Op& op, Buffers b, const cudaDeviceProp&) {
  const std::int64_t n = std::get<ElementsShape>(op.shape).e;
  switch (op.family) {
    case Family::add:
    case Family::cast:
      return add_or_cast<NativeShape>(op, b, n);
    case Family::scale:
      return halve<NativeShape>(op, b, n);
    case Family::increment:
      return increment<NativeShape>(op, b, n);
    case Family::zero:
      return zero_by_type(op, n, b[0]);
    default:
      return memory_copy(op, b, n);
  }
}

}  // namespace stepcast
