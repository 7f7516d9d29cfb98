// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/batchnorm_backward.cuh"
#include "layers/plans/batchnorm_cuda.cuh"
#include "layers/plans/channel_reduce.cuh"
#include "layers/plans/column_map.cuh"
#include "layers/plans/column_reduce.cuh"

namespace stepcast {
namespace {

template <typename T, Epilogue E>
void add_sums(KernelList& list, const ImageShape& s, bool nhwc, const BatchNormBackward& o,
              const cudaDeviceProp& device) {
  const std::int64_t plane = s.h * s.w;
  with_reduce_width<T>(nhwc ? s.c : plane, [&](auto width) {
    constexpr int kWidth = decltype(width)::kWidth;
    const std::string kernel = "batchnorm_gradient_sums_" + std::string(nhwc ? "nhwc" : "nchw") +
                               choices(type_text<T>, kWidth, name(E));
    const auto body = [&](auto channels) {
      return GradientSums<T, kWidth, E, decltype(channels)::kChannels>{static_cast<const T*>(o.dy),
                                                                       static_cast<const T*>(o.x),
                                                                       static_cast<const T*>(o.y),
                                                                       static_cast<T*>(o.dz),
                                                                       o.mean,
                                                                       o.invstd,
                                                                       o.dgamma,
                                                                       o.dbeta};
    };
    if (nhwc) {
      add_column_reduce(list, kernel, body(ChannelsTag<Channels::kColumns>{}), s.n * plane, s.c,
                        device.multiProcessorCount);
    } else {
      add_channel_reduce(list, kernel, body(ChannelsTag<Channels::kPlane>{}), s.n, s.c, plane,
                         device.multiProcessorCount);
    }
  });
}

template <typename T, Epilogue E>
void add_input_gradient(KernelList& list, const ImageShape& s, bool nhwc,
                        const BatchNormBackward& o, const cudaDeviceProp& device) {
  const std::int64_t plane = s.h * s.w;
  with_map_shape<T>(s, nhwc, [&](auto width, auto channels) {
    constexpr int kWidth = decltype(width)::kWidth;
    using Body = InputGradient<T, kWidth, E, decltype(channels)::kChannels>;
    const Body body{static_cast<const T*>(E == Epilogue::add_relu ? o.dz : o.dy),
                    static_cast<const T*>(o.x),
                    static_cast<const T*>(o.y),
                    static_cast<T*>(o.dx),
                    o.gamma,
                    o.mean,
                    o.invstd,
                    o.dgamma,
                    o.dbeta,
                    static_cast<float>(s.n * plane),
                    FastDiv<std::uint64_t>(plane)};
    add_column_map(list,
                   "batchnorm_input_gradient_" + std::string(nhwc ? "nhwc" : "nchw") +
                       choices(type_text<T>, kWidth, name(E)),
                   body, nhwc ? s.n * plane : s.n, nhwc ? s.c : s.c * plane,
                   device.multiProcessorCount, map_cut<T>(nhwc, true));
  });
}

}  // namespace

KernelList batchnorm_backward_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device) {
  const auto& s = std::get<ImageShape>(op.shape);
  const bool nhwc = op.layout == Layout::nhwc;
  const BatchNormBackward operands(buffers, op.epilogue);
  return with_real(op.in, refuse_types(op), [&](auto tag) {
    return with_epilogue(op.epilogue, [&](auto epilogue) {
      using T = typename decltype(tag)::type;
      constexpr Epilogue kEpilogue = decltype(epilogue)::kEpilogue;
      KernelList list;
      add_sums<T, kEpilogue>(list, s, nhwc, operands, device);
      add_input_gradient<T, kEpilogue>(list, s, nhwc, operands, device);
      return list;
    });
  });
}

}  // namespace stepcast
