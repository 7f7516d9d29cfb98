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

template <typename Body>
__global__ __launch_bounds__(kMapThreads, Body::kBlocksPerSm) void column_map_kernel(
    Body body, std::int64_t rows, std::int64_t columns, int log2_lanes, unsigned strips,
    int tiles_of_block) {
  const unsigned block = gridDim.x - 1 - blockIdx.x;
  const int tid = static_cast<int>(threadIdx.x);
  const int lane = tid & ((1 << log2_lanes) - 1);
  const std::int64_t column =
      ((static_cast<std::int64_t>(block % strips) << log2_lanes) + lane) * Body::kWidth;
  if (column >= columns) return;
  const int rows_at_once = kMapThreads >> log2_lanes;
  std::int64_t row =
      static_cast<std::int64_t>(block / strips) * tiles_of_block * rows_at_once * Body::kUnroll +
      (tid >> log2_lanes);
  const auto state = body.state(column);
  for (int tile = 0; tile < tiles_of_block && row < rows; ++tile) {
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
    row += rows_at_once * Body::kUnroll;
  }
}

template <typename Body>
void add_column_map(KernelList& list, const std::string& name, const Body& body, std::int64_t rows,
                    std::int64_t columns, int multiprocessors) {
  const std::int64_t packs = columns / Body::kWidth;
  int log2_lanes = 0;
  while (log2_lanes < 5 && (1 << log2_lanes) < packs) ++log2_lanes;
  const unsigned strips = blocks_for(packs, 1 << log2_lanes);
  const std::int64_t rows_of_tile = (kMapThreads >> log2_lanes) * Body::kUnroll;
  const std::int64_t tiles = (rows + rows_of_tile - 1) / rows_of_tile;
  // Several tiles a block only where that leaves many blocks for each multiprocessor.
  const std::int64_t each = std::clamp<std::int64_t>(tiles * strips / (64 * multiprocessors), 1, 4);
  add_kernel(list, name, column_map_kernel<Body>,
             blocks_for(blocks_for(tiles, each) * static_cast<std::int64_t>(strips), 1),
             kMapThreads, body, rows, columns, log2_lanes, strips, each);
}

}  // namespace stepcast
