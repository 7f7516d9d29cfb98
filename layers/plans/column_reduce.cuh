// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over the rows of a matrix, a few for each column, in one kernel: batch norm's statistics in
// nhwc and the bias gradient. Each block sums some rows of a strip of columns; the last block of a
// strip adds the blocks' sums in a fixed order, so that the result does not depend on timing.

#include <algorithm>
#include <string>

#include "layers/plans/launch.cuh"
#include "layers/plans/pack.cuh"
#include "layers/plans/reduce.cuh"

namespace stepcast {

/// How a reduction is launched. `rolling`: a thread asks for an element as soon as it has added the
/// one kUnroll before it, so that kUnroll loads are always in flight; else kUnroll at a time.
template <int Threads, int BlocksPerSm, bool Rolling>
struct ReduceCut {
  static constexpr int kThreads = Threads;
  static constexpr int kBlocksPerSm = BlocksPerSm;
  static constexpr bool kRolling = Rolling;
};
using DefaultCut = ReduceCut<512, 2, false>;

// A Body says what is summed:
//   kWidth, kSums, kUnroll    columns of a thread, sums of a column, loads in flight
//   State state(column)       what a thread keeps for its columns
//   Loaded load(offset)       the operands at an element's offset, one access each
//   void add(loaded, state, sums[kSums][kWidth], offset)
//   void finish(column, totals[kSums])

/// Adds the warps' sums; afterwards thread t < lanes * kWidth has column t's totals.
template <typename Body, int Threads>
__device__ __forceinline__ void add_warps(float (&sums)[Body::kSums][Body::kWidth], int lanes,
                                          float* scratch, float (&totals)[Body::kSums]) {
  const int tid = static_cast<int>(threadIdx.x);
  const int columns = lanes * Body::kWidth;
#pragma unroll
  for (int s = 0; s < Body::kSums; ++s) {
    for (int mask = lanes; mask < 32; mask *= 2) {
#pragma unroll
      for (float& sum : sums[s]) sum += __shfl_xor_sync(kAllLanes, sum, mask);
    }
    if (tid % 32 < lanes) {
#pragma unroll
      for (int w = 0; w < Body::kWidth; ++w) {
        scratch[tid / 32 * columns + tid % 32 * Body::kWidth + w] = sums[s][w];
      }
    }
    __syncthreads();
    totals[s] = 0.0F;
    if (tid < columns) {
#pragma unroll
      for (int warp = 0; warp < Threads / 32; ++warp) totals[s] += scratch[warp * columns + tid];
    }
    __syncthreads();
  }
}

/// Adds a thread's rows, kUnroll loads at a time. `first`: its row among rows_at_once.
template <typename Body, typename State>
__device__ __forceinline__ void add_rows(const Body& body, const State& state,
                                         float (&sums)[Body::kSums][Body::kWidth],
                                         std::int64_t rows, std::int64_t columns,
                                         std::int64_t column, int rows_at_once, int first) {
  std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * rows_at_once * Body::kUnroll + first;
  for (; row < rows; row += static_cast<std::int64_t>(gridDim.y) * rows_at_once * Body::kUnroll) {
    typename Body::Loaded loaded[Body::kUnroll];
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      // Beyond the end the last row is read again and not added.
      const std::int64_t at = least(row + u * rows_at_once, rows - 1);
      loaded[u] = body.load(at * columns + column);
    }
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      const std::int64_t at = row + u * rows_at_once;
      if (at < rows) body.add(loaded[u], state, sums, at * columns + column);
    }
  }
}

/// Adds the rows `row`, row + step, ..., with kUnroll loads in flight all the time.
template <typename Body, typename State>
__device__ __forceinline__ void add_rows_rolling(const Body& body, const State& state,
                                                 float (&sums)[Body::kSums][Body::kWidth],
                                                 std::int64_t rows, std::int64_t columns,
                                                 std::int64_t column, std::int64_t row,
                                                 std::int64_t step) {
  const std::int64_t pitch = step * columns;
  std::int64_t offset = row * columns + column;
  std::int64_t ahead = offset;
  int to_add = row < rows ? static_cast<int>((rows - 1 - row) / step) + 1 : 0;
  int to_load = to_add;
  typename Body::Loaded ring[Body::kUnroll];
  const auto load_next = [&](int u) {
    if (to_load > 0) ring[u] = body.load(ahead);
    --to_load;
    ahead += pitch;
    // Opaque, or nvcc keeps the kUnroll multiples of the pitch in registers and spills.
    asm("" : "+l"(ahead));
  };
#pragma unroll
  for (int u = 0; u < Body::kUnroll; ++u) load_next(u);
  while (to_add > 0) {
#pragma unroll
    for (int u = 0; u < Body::kUnroll; ++u) {
      const auto loaded = ring[u];
      load_next(u);
      if (to_add > 0) body.add(loaded, state, sums, offset);
      --to_add;
      offset += pitch;
    }
  }
}

/// grid.x strips of 2^log2_lanes * kWidth columns, grid.y slices of the rows; partials hold
/// grid.x * grid.y * kSums sums of a strip's columns, counters one zero a strip.
template <typename Body, typename Cut>
__global__ __launch_bounds__(Cut::kThreads, Cut::kBlocksPerSm) void column_reduce_kernel(
    Body body, std::int64_t rows, std::int64_t columns, int log2_lanes, float* partials,
    unsigned* counters) {
  __shared__ float scratch[Cut::kThreads * Body::kWidth];
  const int tid = static_cast<int>(threadIdx.x);
  const int lanes = 1 << log2_lanes;
  const int strip_columns = lanes * Body::kWidth;
  const std::int64_t first_column = static_cast<std::int64_t>(blockIdx.x) * strip_columns;
  const std::int64_t column = first_column + (tid & (lanes - 1)) * Body::kWidth;

  float sums[Body::kSums][Body::kWidth] = {};
  if (column < columns) {
    const auto state = body.state(column);
    const int rows_at_once = Cut::kThreads >> log2_lanes;
    if constexpr (Cut::kRolling) {
      add_rows_rolling(body, state, sums, rows, columns, column,
                       static_cast<std::int64_t>(blockIdx.y) * rows_at_once + (tid >> log2_lanes),
                       static_cast<std::int64_t>(gridDim.y) * rows_at_once);
    } else {
      add_rows(body, state, sums, rows, columns, column, rows_at_once, tid >> log2_lanes);
    }
  }

  float totals[Body::kSums];
  add_warps<Body, Cut::kThreads>(sums, lanes, scratch, totals);
  if (gridDim.y > 1) {
    const int values = Body::kSums * strip_columns;
    float* strip = partials + static_cast<std::int64_t>(blockIdx.x) * gridDim.y * values;
    if (tid < strip_columns) {
#pragma unroll
      for (int s = 0; s < Body::kSums; ++s) {
        strip[blockIdx.y * values + s * strip_columns + tid] = totals[s];
      }
    }
    if (!last_block(counters + blockIdx.x, gridDim.y)) return;
    float sum = 0.0F;
    const unsigned slices_at_once = Cut::kThreads / values;
    for (unsigned first = tid / values; first < gridDim.y; first += 16 * slices_at_once) {
      float some[16];  // in flight at once
#pragma unroll
      for (unsigned u = 0; u < 16; ++u) {
        const unsigned slice = first + u * slices_at_once;
        some[u] = slice < gridDim.y ? __ldcg(strip + slice * values + tid % values) : 0.0F;
      }
#pragma unroll
      for (const float one : some) sum += one;
    }
    scratch[tid] = sum;
    __syncthreads();
#pragma unroll
    for (int s = 0; s < Body::kSums; ++s) {
      totals[s] = 0.0F;
      for (int t = s * strip_columns + tid; tid < strip_columns && t < Cut::kThreads; t += values) {
        totals[s] += scratch[t];
      }
    }
  }
  if (tid < strip_columns && first_column + tid < columns) body.finish(first_column + tid, totals);
}

/// Threads side by side in a row. Few, since a strip's last block alone adds all that the others
/// have summed; enough to read whole lines.
inline constexpr int kStripLog2Lanes = 3;

template <typename Cut = DefaultCut, typename Body>
void add_column_reduce(KernelList& list, const std::string& name, const Body& body,
                       std::int64_t rows, std::int64_t columns, int multiprocessors,
                       int log2_most_lanes = kStripLog2Lanes) {
  const std::int64_t packs = columns / Body::kWidth;
  int log2_lanes = 0;
  // A block adds the other blocks' sums of its strip with a thread each.
  while (log2_lanes < log2_most_lanes && log2_lanes < 5 && (1 << log2_lanes) < packs &&
         (Body::kSums * Body::kWidth << (log2_lanes + 1)) <= Cut::kThreads) {
    ++log2_lanes;
  }
  const unsigned strips = blocks_for(packs, 1 << log2_lanes);
  const std::int64_t rows_of_block = (Cut::kThreads >> log2_lanes) * Body::kUnroll;
  const std::int64_t slices = std::clamp<std::int64_t>(
      Cut::kBlocksPerSm * multiprocessors / strips, 1, (rows + rows_of_block - 1) / rows_of_block);
  const std::int64_t values = (Body::kSums * Body::kWidth) << log2_lanes;
  float* partials = slices > 1 ? list.zeroed<float>(strips * slices * values) : nullptr;
  unsigned* counters = slices > 1 ? list.zeroed<unsigned>(strips) : nullptr;
  add_kernel(list, name, column_reduce_kernel<Body, Cut>,
             dim3(strips, static_cast<unsigned>(slices)), Cut::kThreads, body, rows, columns,
             log2_lanes, partials, counters);
}

}  // namespace stepcast
