// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One pass over a matrix in which a thread keeps what belongs to its columns in registers: batch
// norm's normalisation and input gradient, in nhwc with channels as columns, in nchw with the
// elements of an image as columns. Rows are taken from the last to the first: the end of the matrix
// is what the pass over it before left in L2.

#include <algorithm>
#include <string>

#include "layers/plans/launch.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {

inline constexpr int kMapThreads = 256;

// A Body says what is computed:
//   kWidth, kUnroll           columns of a thread, loads in flight
//   kBlocksPerSm              blocks that registers must leave room for
//   State state(column)       what a thread keeps for its columns
//   Loaded load(offset)       the operands at an element's offset, one access each
//   void apply(loaded, state, offset)

/// Blocks take tiles in turn, the strips of a row of tiles before those of the row above it.
template <typename Body>
__global__ __launch_bounds__(kMapThreads, Body::kBlocksPerSm) void column_map_kernel(
    Body body, std::int64_t rows, std::int64_t columns, int log2_lanes, unsigned strips,
    int last_tile, int tile_stride) {
  const int tid = static_cast<int>(threadIdx.x);
  const int lane = tid & ((1 << log2_lanes) - 1);
  const unsigned strip = strips - 1 - blockIdx.x % strips;
  const std::int64_t column =
      ((static_cast<std::int64_t>(strip) << log2_lanes) + lane) * Body::kWidth;
  if (column >= columns) return;
  const int rows_at_once = kMapThreads >> log2_lanes;
  const auto state = body.state(column);
  for (int tile = last_tile - static_cast<int>(blockIdx.x / strips); tile >= 0;
       tile -= tile_stride) {
    const std::int64_t row =
        static_cast<std::int64_t>(tile) * rows_at_once * Body::kUnroll + (tid >> log2_lanes);
    typename Body::Loaded loaded[Body::kUnroll];
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      // Beyond the end the last row is read again and not used.
      const std::int64_t at = least(row + u * rows_at_once, rows - 1);
      loaded[u] = body.load(at * columns + column);
    }
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      const std::int64_t at = row + u * rows_at_once;
      if (at < rows) body.apply(loaded[u], state, at * columns + column);
    }
  }
}

/// How many threads lie side by side in a row at most, and how often the blocks fill the GPU; where
/// they would do so oftener, each takes several tiles.
inline constexpr int kOneTileEach = 1 << 20;
struct MapCut {
  int log2_lanes;
  int waves;
};

template <typename Body>
void add_column_map(KernelList& list, const std::string& name, const Body& body, std::int64_t rows,
                    std::int64_t columns, int multiprocessors, MapCut cut) {
  const std::int64_t packs = columns / Body::kWidth;
  int log2_lanes = 0;
  while (log2_lanes < cut.log2_lanes && (1 << log2_lanes) < packs) ++log2_lanes;
  const unsigned strips = blocks_for(packs, 1 << log2_lanes);
  const unsigned tiles = blocks_for(rows, (kMapThreads >> log2_lanes) * Body::kUnroll);
  const unsigned wanted = blocks_for(
      static_cast<std::int64_t>(cut.waves) * Body::kBlocksPerSm * multiprocessors, strips);
  const unsigned stride = std::min(tiles, wanted);
  add_kernel(list, name, column_map_kernel<Body>,
             blocks_for(static_cast<std::int64_t>(stride) * strips, 1), kMapThreads, body, rows,
             columns, log2_lanes, strips, tiles - 1, stride);
}

}  // namespace stepcast
