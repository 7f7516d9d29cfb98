// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over the elements of each channel of images in nchw, in one kernel. As column_reduce.cuh:
// several blocks a channel where the channels are few, the last of which adds the blocks' sums.

#include <algorithm>
#include <string>

#include "layers/plans/column_reduce.cuh"
#include "layers/plans/fast_div.cuh"
#include "layers/plans/launch.cuh"

namespace stepcast {

// A Body as in column_reduce.cuh, whose state(channel) and finish(channel, totals) take a channel,
// and whose add() has one sum for all elements of a pack.

/// Walks over the packs of one channel without a division.
struct ChannelWalk {
  std::uint32_t pack;      // in the channel: image * plane + in_plane
  std::uint32_t in_plane;  // in the image's plane
  std::int64_t offset;     // in the tensor, packs

  /// `by`: a step from the tensor's first pack; next_image: from a plane's end to its successor's
  /// start.
  __device__ __forceinline__ void advance(const ChannelWalk& by, std::uint32_t plane,
                                          std::int64_t next_image) {
    pack += by.pack;
    in_plane += by.in_plane;
    offset += by.offset;
    if (in_plane >= plane) {
      in_plane -= plane;
      offset += next_image;
    }
  }
};

/// grid.x channels, grid.y slices. plane_packs: packs of kWidth in one image's channel. kUnroll
/// loads are in flight all the time: a pack is asked for as soon as one has been added.
template <typename Body, typename Cut>
__global__ __launch_bounds__(Cut::kThreads, Cut::kBlocksPerSm) void channel_reduce_kernel(
    Body body, std::int64_t images, FastDiv<std::uint64_t> plane_packs, float* partials,
    unsigned* counters) {
  constexpr int kWarps = Cut::kThreads / 32;
  __shared__ float scratch[Body::kSums][kWarps];
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t channel = blockIdx.x;
  const std::int64_t channels = gridDim.x;
  const auto plane = static_cast<std::uint32_t>(plane_packs.divisor());
  const auto packs = static_cast<std::uint32_t>(images * plane);
  const std::int64_t next_image = (channels - 1) * plane;
  const auto walk_from = [&](std::uint32_t pack) {
    auto in_plane = static_cast<std::uint64_t>(pack);
    const auto image = static_cast<std::int64_t>(plane_packs.divide(in_plane));
    return ChannelWalk{pack, static_cast<std::uint32_t>(in_plane),
                       image * channels * plane + static_cast<std::int64_t>(in_plane)};
  };
  const ChannelWalk step = walk_from(gridDim.y * Cut::kThreads);
  ChannelWalk walk = walk_from(blockIdx.y * Cut::kThreads + tid);
  walk.offset += channel * plane;
  ChannelWalk ahead = walk;

  float sums[Body::kSums][1] = {};
  typename Body::Loaded ring[Body::kUnroll];
#pragma unroll
  for (int u = 0; u < Body::kUnroll; ++u) {
    if (ahead.pack < packs) ring[u] = body.load(ahead.offset * Body::kWidth);
    ahead.advance(step, plane, next_image);
  }
  const auto state = body.state(channel);
  while (walk.pack < packs) {
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      const auto loaded = ring[u];
      if (ahead.pack < packs) ring[u] = body.load(ahead.offset * Body::kWidth);
      ahead.advance(step, plane, next_image);
      if (walk.pack < packs) body.add(loaded, state, sums, walk.offset * Body::kWidth);
      walk.advance(step, plane, next_image);
    }
  }

  float totals[Body::kSums];
#pragma unroll
  for (int s = 0; s < Body::kSums; ++s) {
    totals[s] = warp_sum(sums[s][0]);
    if (tid % 32 == 0) scratch[s][tid / 32] = totals[s];
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < Body::kSums; ++s) {
    totals[s] = warp_sum(tid < kWarps ? scratch[s][tid] : 0.0F);
  }
  if (gridDim.y > 1) {
    float* own = partials + channel * gridDim.y * Body::kSums;
    if (tid == 0) {
#pragma unroll
      for (int s = 0; s < Body::kSums; ++s) own[blockIdx.y * Body::kSums + s] = totals[s];
    }
    if (!last_block(counters + channel, gridDim.y)) return;
#pragma unroll
    for (int s = 0; s < Body::kSums; ++s) {
      totals[s] = 0.0F;
      for (unsigned slice = tid; tid < 32 && slice < gridDim.y; slice += 32) {
        totals[s] += __ldcg(own + slice * Body::kSums + s);
      }
      totals[s] = warp_sum(totals[s]);
    }
  }
  if (tid == 0) body.finish(channel, totals);
}

/// Cuts with the same threads in flight. Where all channels' blocks fit on the GPU at once, all
/// walk over the images together, no second wave is left half empty, and the last images are what
/// is left in L2.
using FewChannels = ReduceCut<512, 2, true>;
using SomeChannels = ReduceCut<256, 4, true>;
using ManyChannels = ReduceCut<128, 8, true>;

template <typename Cut, typename Body>
void add_channel_reduce_cut(KernelList& list, const std::string& name, const Body& body,
                            std::int64_t images, std::int64_t channels, std::int64_t plane,
                            int multiprocessors) {
  const std::int64_t plane_packs = plane / Body::kWidth;
  blocks_for(images * plane_packs, 1);  // the kernel counts a channel's packs in 32 bits
  const std::int64_t of_block = Cut::kThreads * Body::kUnroll;
  // Where channels alone do not fill the GPU, as many blocks as do.
  const std::int64_t wanted = Cut::kBlocksPerSm * multiprocessors / channels;
  const std::int64_t slices =
      std::clamp<std::int64_t>(wanted, 1, (images * plane_packs + of_block - 1) / of_block);
  float* partials = slices > 1 ? list.zeroed<float>(channels * slices * Body::kSums) : nullptr;
  unsigned* counters = slices > 1 ? list.zeroed<unsigned>(channels) : nullptr;
  add_kernel(list, name, channel_reduce_kernel<Body, Cut>,
             dim3(blocks_for(channels, 1), static_cast<unsigned>(slices)), Cut::kThreads, body,
             images, FastDiv<std::uint64_t>(plane_packs), partials, counters);
}

/// The cut with the largest blocks of which one a channel fits on the GPU.
template <typename Body>
void add_channel_reduce(KernelList& list, const std::string& name, const Body& body,
                        std::int64_t images, std::int64_t channels, std::int64_t plane,
                        int multiprocessors) {
  const auto add = [&]<typename Cut>() {
    add_channel_reduce_cut<Cut>(list, name, body, images, channels, plane, multiprocessors);
  };
  if (channels <= FewChannels::kBlocksPerSm * multiprocessors) {
    add.template operator()<FewChannels>();
  } else if (channels <= SomeChannels::kBlocksPerSm * multiprocessors) {
    add.template operator()<SomeChannels>();
  } else {
    add.template operator()<ManyChannels>();
  }
}

}  // namespace stepcast
