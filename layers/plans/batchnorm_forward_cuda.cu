// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/batchnorm_cuda.cuh"
#include "layers/plans/batchnorm_forward.cuh"
#include "layers/plans/channel_reduce.cuh"
#include "layers/plans/column_map.cuh"
#include "layers/plans/column_reduce.cuh"
#include "layers/plans/kernel_families.hpp"

namespace stepcast {
namespace {

template <typename T>
void add_statistics(KernelList& list, const ImageShape& s, bool nhwc, const BatchNormForward& o,
                    const cudaDeviceProp& device) {
  const std::int64_t plane = s.h * s.w;
  const BatchNormStatistics statistics = o.statistics(s);
  with_reduce_width<T>(nhwc ? s.c : plane, [&](auto width) {
    constexpr int kWidth = decltype(width)::kWidth;
    const std::string kernel = "batchnorm_statistics_" + std::string(nhwc ? "nhwc" : "nchw") +
                               choices(type_text<T>, kWidth);
    const auto* x = static_cast<const T*>(o.x);
    if (nhwc) {
      add_column_reduce(list, kernel,
                        MomentSums<T, kWidth, Channels::kColumns>{x, plane, statistics},
                        s.n * plane, s.c, device.multiProcessorCount);
    } else {
      add_channel_reduce(list, kernel,
                         MomentSums<T, kWidth, Channels::kPlane>{x, plane, statistics}, s.n, s.c,
                         plane, device.multiProcessorCount);
    }
  });
}

template <typename T, Epilogue E>
void add_normalize(KernelList& list, const ImageShape& s, bool nhwc, const BatchNormForward& o,
                   const cudaDeviceProp& device) {
  const std::int64_t plane = s.h * s.w;
  with_map_shape<T>(s, nhwc, [&](auto width, auto channels) {
    constexpr int kWidth = decltype(width)::kWidth;
    using Body = Normalize<T, kWidth, E, decltype(channels)::kChannels>;
    const Body body{static_cast<const T*>(o.x),
                    static_cast<const T*>(o.z),
                    static_cast<T*>(o.y),
                    o.gamma,
                    o.beta,
                    o.save_mean,
                    o.save_invstd,
                    FastDiv<std::uint64_t>(plane)};
    add_column_map(list,
                   "batchnorm_normalize_" + std::string(nhwc ? "nhwc" : "nchw") +
                       choices(type_text<T>, kWidth, name(E)),
                   body, nhwc ? s.n * plane : s.n, nhwc ? s.c : s.c * plane,
                   device.multiProcessorCount, map_cut<T>(nhwc, false));
  });
}

}  // namespace

KernelList batchnorm_forward_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device) {
  const auto& s = std::get<ImageShape>(op.shape);
  const bool nhwc = op.layout == Layout::nhwc;
  const BatchNormForward operands(buffers, op.epilogue);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    return with_epilogue(op.epilogue, [&](auto epilogue) {
      using T = typename decltype(tag)::type;
      KernelList list;
      add_statistics<T>(list, s, nhwc, operands, device);
      add_normalize<T, decltype(epilogue)::kEpilogue>(list, s, nhwc, operands, device);
      return list;
    });
  });
}

KernelList batchnorm_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device) {
  if (op.in != op.out) return refuse_types(op);
  return op.family == Family::batchnorm_fwd ? batchnorm_forward_cuda(op, buffers, device)
                                            : batchnorm_backward_cuda(op, buffers, device);
}

}  // namespace stepcast
