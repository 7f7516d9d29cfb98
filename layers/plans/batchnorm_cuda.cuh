// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the provider cuda's batch norm is cut into packs, forward and backward.

#include "layers/plans/batchnorm.cuh"
#include "layers/plans/column_map.cuh"
#include "layers/plans/kernel_list.hpp"
#include "layers/plans/launch.cuh"

namespace stepcast {

KernelList batchnorm_forward_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList batchnorm_backward_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);

template <int Width>
struct WidthTag {
  static constexpr int kWidth = Width;
};

template <Epilogue E>
struct EpilogueTag {
  static constexpr Epilogue kEpilogue = E;
};

template <Channels C>
struct ChannelsTag {
  static constexpr Channels kChannels = C;
};

/// Calls use(EpilogueTag) for none, relu and add_relu.
template <typename Use>
KernelList with_epilogue(Epilogue epilogue, Use use) {
  switch (epilogue) {
    case Epilogue::none:
      return use(EpilogueTag<Epilogue::none>{});
    case Epilogue::relu:
      return use(EpilogueTag<Epilogue::relu>{});
    case Epilogue::add_relu:
      return use(EpilogueTag<Epilogue::add_relu>{});
    default:
      return refusal("batch norm has no epilogue " + std::string(name(epilogue)));
  }
}

/// Calls use(WidthTag) with the widest pack that divides the channels (nhwc) or the plane (nchw).
template <typename T, typename Use>
void with_reduce_width(std::int64_t length, Use use) {
  if (length % kWidest<T> == 0) return use(WidthTag<kWidest<T>>{});
  if (sizeof(T) == 2 && length % 4 == 0) return use(WidthTag<4>{});
  use(WidthTag<1>{});
}

/// Measured on an H200: blocks of one tile each are the fastest, but in nhwc the gradient of
/// two-byte images, where a thread keeps many values of its channels, does with eight waves.
template <typename T>
MapCut map_cut(bool nhwc, bool backward) {
  if (!nhwc) return {8, kOneTileEach};
  return {5, backward && sizeof(T) == 2 ? 8 : kOneTileEach};
}

/// Calls use(WidthTag, ChannelsTag) for a pass over images as a matrix with one row an image (nchw)
/// or a pixel (nhwc).
template <typename T, typename Use>
void with_map_shape(const ImageShape& s, bool nhwc, Use use) {
  constexpr int kWidth = kWidest<T>;
  const std::int64_t plane = s.h * s.w;
  if (nhwc) {
    if (s.c % kWidth == 0) return use(WidthTag<kWidth>{}, ChannelsTag<Channels::kColumns>{});
    return use(WidthTag<1>{}, ChannelsTag<Channels::kColumns>{});
  }
  if (plane % kWidth == 0) return use(WidthTag<kWidth>{}, ChannelsTag<Channels::kPlane>{});
  if (s.c * plane % kWidth == 0) return use(WidthTag<kWidth>{}, ChannelsTag<Channels::kMixed>{});
  use(WidthTag<1>{}, ChannelsTag<Channels::kPlane>{});
}

}  // namespace stepcast
