// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The product of axis.hpp in double: a block's parts of both factors, on their way from memory into
// shared memory.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/cuda/check.hpp"
#include "core/error.hpp"
#include "layers/verify/axis.hpp"
#include "layers/verify/stored.cuh"

namespace stepcast {

template <typename T>
struct Factor {
  FactorAxes axes;
  const T* memory = nullptr;
};

constexpr int kTile = 64;       // rows and columns of a block's part of the result
constexpr int kTileDepth = 16;  // terms that are in shared memory at a time
constexpr int kTileThreads = 128;
constexpr int kTileLoads = kTile * kTileDepth / kTileThreads;
constexpr int kTileRow = kTile + 2;  // no bank conflicts where depth is the fast index

/// One factor's part: kTileDepth terms of kTile rows.
struct Tile {
  alignas(16) double value[kTileDepth][kTileRow];
  Place outer[kTile];
  Place depth[kTileDepth];
};

template <bool DepthFast>
__device__ __forceinline__ int tile_outer(int load) {
  const int element = static_cast<int>(threadIdx.x) + load * kTileThreads;
  return DepthFast ? element / kTileDepth : element % kTile;
}

template <bool DepthFast>
__device__ __forceinline__ int tile_depth(int load) {
  const int element = static_cast<int>(threadIdx.x) + load * kTileThreads;
  return DepthFast ? element % kTileDepth : element / kTile;
}

/// This thread's elements of the part whose places the tile holds.
template <bool DepthFast, typename T>
__device__ __forceinline__ void fetch(const Factor<T>& factor, const T* memory, const Tile& tile,
                                      T (&values)[kTileLoads]) {
  const auto height = static_cast<unsigned>(factor.axes.height);
  const auto width = static_cast<unsigned>(factor.axes.width);
#pragma unroll
  for (int load = 0; load < kTileLoads; ++load) {
    const Place outer = tile.outer[tile_outer<DepthFast>(load)];
    const Place depth = tile.depth[tile_depth<DepthFast>(load)];
    const bool inside = static_cast<unsigned>(outer.row + depth.row) < height &&
                        static_cast<unsigned>(outer.column + depth.column) < width;
    values[load] = inside ? memory[outer.at + depth.at] : static_cast<T>(0.0F);
  }
}

template <typename T>
__device__ __forceinline__ void fetch(const Factor<T>& factor, const T* memory, const Tile& tile,
                                      T (&values)[kTileLoads]) {
  if (factor.axes.depth_fast) {
    fetch<true>(factor, memory, tile, values);
  } else {
    fetch<false>(factor, memory, tile, values);
  }
}

template <typename T>
__device__ __forceinline__ void keep(const Factor<T>& factor, const T (&values)[kTileLoads],
                                     Tile& tile) {
#pragma unroll
  for (int load = 0; load < kTileLoads; ++load) {
    const int outer = factor.axes.depth_fast ? tile_outer<true>(load) : tile_outer<false>(load);
    const int depth = factor.axes.depth_fast ? tile_depth<true>(load) : tile_depth<false>(load);
    tile.value[depth][outer] = to_double(values[load]);
  }
}

}  // namespace stepcast
