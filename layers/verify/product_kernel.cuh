// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel of product.cuh: a block computes 64 x 64 results of one batch, a thread 8 x 4 of them.
// Factors are converted to double once, on their way into shared memory; while one part of the
// depth is multiplied, the next is loaded into registers.
//
// An epilogue is given each result once. It has
//   auto begin() const                                  one thread's state, with
//     void take(batch, row, column, place, value)       a result, its indices and its place
//     void end()                                        after the last; called by all threads

#include "layers/verify/product.cuh"

namespace stepcast {

/// Results of a thread: rows and columns in pairs, so that a pair is one load of 16 bytes.
constexpr int kRowPairs = 4;     // rows 2 y, 2 y + 1, each 16 further on
constexpr int kColumnPairs = 2;  // columns 2 x, 2 x + 1, each 32 further on

__device__ __forceinline__ double2 pair(const double* memory) {
  return *reinterpret_cast<const double2*>(memory);
}

using Sums = double[2 * kRowPairs][2 * kColumnPairs];

__device__ __forceinline__ void multiply(const Tile& a, const Tile& b, int x, int y, Sums& sums) {
#pragma unroll
  for (int depth = 0; depth < kTileDepth; ++depth) {
    double rows[2 * kRowPairs];
    double columns[2 * kColumnPairs];
#pragma unroll
    for (int i = 0; i < kRowPairs; ++i) {
      const double2 two = pair(&a.value[depth][2 * y + 16 * i]);
      rows[2 * i] = two.x;
      rows[2 * i + 1] = two.y;
    }
#pragma unroll
    for (int j = 0; j < kColumnPairs; ++j) {
      const double2 two = pair(&b.value[depth][2 * x + 32 * j]);
      columns[2 * j] = two.x;
      columns[2 * j + 1] = two.y;
    }
#pragma unroll
    for (int i = 0; i < 2 * kRowPairs; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kColumnPairs; ++j) sums[i][j] = fma(rows[i], columns[j], sums[i][j]);
    }
  }
}

template <typename A, typename B, typename Epilogue>
__global__ __launch_bounds__(kTileThreads,
                             3) void product_kernel(const __grid_constant__ Factor<A> a,
                                                    const __grid_constant__ Factor<B> b,
                                                    const __grid_constant__ Result result,
                                                    const __grid_constant__ Epilogue epilogue) {
  __shared__ Tile tile_a, tile_b;
  __shared__ std::int64_t row_places[kTile], column_places[kTile];

  // Neighbouring blocks share a part of the larger factor: the shorter side runs fastest.
  const std::int64_t rows = result.row.size;
  const std::int64_t columns = result.column.size;
  const auto row_tiles = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const auto column_tiles = static_cast<unsigned>((columns + kTile - 1) / kTile);
  const bool rows_fastest = row_tiles < column_tiles;
  const unsigned row_tile = rows_fastest ? blockIdx.x % row_tiles : blockIdx.x / column_tiles;
  const unsigned column_tile = rows_fastest ? blockIdx.x / row_tiles : blockIdx.x % column_tiles;
  const std::int64_t first_row = std::int64_t{row_tile} * kTile;
  const std::int64_t first_column = std::int64_t{column_tile} * kTile;
  const std::int64_t batch = blockIdx.y;

  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kTile) {
    tile_a.outer[thread] = place(a.axes.outer, first_row + thread, rows);
    row_places[thread] = place(result.row, first_row + thread, rows).at;
  } else {
    const int column = thread - kTile;
    tile_b.outer[column] = place(b.axes.outer, first_column + column, columns);
    column_places[column] = place(result.column, first_column + column, columns).at;
  }

  // Parts of the depth, in whole tiles.
  const std::int64_t depth_tiles = (a.axes.depth.size + kTileDepth - 1) / kTileDepth;
  const std::int64_t first_tile = depth_tiles * blockIdx.z / gridDim.z;
  const std::int64_t last_tile = depth_tiles * (blockIdx.z + 1) / gridDim.z;
  const auto find_depth = [&](std::int64_t tile) {
    if (thread < kTileDepth) {
      tile_a.depth[thread] = place(a.axes.depth, tile * kTileDepth + thread, a.axes.depth.size);
    } else if (thread >= 32 && thread < 32 + kTileDepth) {
      tile_b.depth[thread - 32] =
          place(b.axes.depth, tile * kTileDepth + thread - 32, a.axes.depth.size);
    }
  };
  find_depth(first_tile);
  __syncthreads();

  const A* memory_a = a.memory + place(a.axes.batch, batch, batch + 1).at;
  const B* memory_b = b.memory + place(b.axes.batch, batch, batch + 1).at;
  A values_a[kTileLoads];
  B values_b[kTileLoads];
  const int x = thread % 16;
  const int y = thread / 16;
  Sums sums = {};
  if (first_tile < last_tile) {
    fetch(a, memory_a, tile_a, values_a);
    fetch(b, memory_b, tile_b, values_b);
    // The places of the first part were read by others too, before they make way for the second's.
    __syncthreads();
  }
  for (std::int64_t tile = first_tile; tile < last_tile; ++tile) {
    keep(a, values_a, tile_a);
    keep(b, values_b, tile_b);
    find_depth(tile + 1);
    __syncthreads();
    if (tile + 1 < last_tile) {
      fetch(a, memory_a, tile_a, values_a);
      fetch(b, memory_b, tile_b, values_b);
    }
    multiply(tile_a, tile_b, x, y, sums);
    __syncthreads();
  }

  const std::int64_t batch_place = place(result.batch, batch, batch + 1).at;
  auto state = epilogue.begin();
#pragma unroll
  for (int i = 0; i < 2 * kRowPairs; ++i) {
#pragma unroll
    for (int j = 0; j < 2 * kColumnPairs; ++j) {
      const int row = 2 * y + i % 2 + i / 2 * 16;
      const int column = 2 * x + j % 2 + j / 2 * 32;
      if (first_row + row >= rows || first_column + column >= columns) continue;
      state.take(batch, first_row + row, first_column + column,
                 batch_place + row_places[row] + column_places[column], sums[i][j]);
    }
  }
  state.end();
}

/// Errors: LibraryError; DataError if a size is beyond what a grid can count.
template <typename A, typename B, typename Epilogue>
void launch_product(const Factor<A>& a, const Factor<B>& b, const Result& result,
                    const Epilogue& epilogue, std::string_view what, cudaStream_t stream) {
  const auto tiles = [](std::int64_t size) { return (size + kTile - 1) / kTile; };
  const std::int64_t blocks = tiles(result.row.size) * tiles(result.column.size);
  if (blocks >= (std::int64_t{1} << 31) || result.batch.size > 65535 || result.split > 65535) {
    throw DataError("verify: " + std::string(what) + " is too large for a grid");
  }
  if (blocks == 0 || result.batch.size == 0) return;
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(result.batch.size),
                  static_cast<unsigned>(result.split));
  product_kernel<<<grid, kTileThreads, 0, stream>>>(a, b, result, epilogue);
  check_launch(what);
}

}  // namespace stepcast
