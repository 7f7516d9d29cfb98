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

/// grid.x channels, grid.y slices. plane_packs: packs of kWidth in one image's channel.
template <typename Body>
__global__ __launch_bounds__(kReduceThreads, kReduceBlocksPerSm) void channel_reduce_kernel(
    Body body, std::int64_t images, FastDiv<std::uint64_t> plane_packs, float* partials,
    unsigned* counters) {
  __shared__ float scratch[Body::kSums][kReduceWarps];
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t channel = blockIdx.x;
  const std::int64_t channels = gridDim.x;
  const std::int64_t plane = static_cast<std::int64_t>(plane_packs.divisor());
  const std::int64_t packs = images * plane;
  const auto offset = [&](std::int64_t pack) {
    auto in_plane = static_cast<std::uint64_t>(pack);
    const auto image = static_cast<std::int64_t>(plane_packs.divide(in_plane));
    return ((image * channels + channel) * plane + static_cast<std::int64_t>(in_plane)) *
           Body::kWidth;
  };

  float sums[Body::kSums][1] = {};
  const auto state = body.state(channel);
  std::int64_t pack =
      static_cast<std::int64_t>(blockIdx.y) * (kReduceThreads * Body::kUnroll) + tid;
  for (; pack < packs;
       pack += static_cast<std::int64_t>(gridDim.y) * (kReduceThreads * Body::kUnroll)) {
    typename Body::Loaded loaded[Body::kUnroll];
    std::int64_t offsets[Body::kUnroll];
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      offsets[u] = offset(least(pack + u * kReduceThreads, packs - 1));
      loaded[u] = body.load(offsets[u]);
    }
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      if (pack + u * kReduceThreads < packs) body.add(loaded[u], state, sums, offsets[u]);
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
    totals[s] = warp_sum(tid < kReduceWarps ? scratch[s][tid] : 0.0F);
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

/// How often the blocks fill the GPU. Once: then all walk over the images together, and the last
/// images are what is left in L2.
inline constexpr int kChannelWaves = 1;

template <typename Body>
void add_channel_reduce(KernelList& list, const std::string& name, const Body& body,
                        std::int64_t images, std::int64_t channels, std::int64_t plane,
                        int multiprocessors, int waves = kChannelWaves) {
  const std::int64_t plane_packs = plane / Body::kWidth;
  const std::int64_t of_block = kReduceThreads * Body::kUnroll;
  // Where channels alone do not fill the GPU, as many blocks as do.
  const std::int64_t wanted = waves * kReduceBlocksPerSm * multiprocessors / channels;
  const std::int64_t slices =
      std::clamp<std::int64_t>(wanted, 1, (images * plane_packs + of_block - 1) / of_block);
  float* partials = slices > 1 ? list.zeroed<float>(channels * slices * Body::kSums) : nullptr;
  unsigned* counters = slices > 1 ? list.zeroed<unsigned>(channels) : nullptr;
  add_kernel(list, name, channel_reduce_kernel<Body>,
             dim3(blocks_for(channels, 1), static_cast<unsigned>(slices)), kReduceThreads, body,
             images, FastDiv<std::uint64_t>(plane_packs), partials, counters);
}

}  // namespace stepcast
