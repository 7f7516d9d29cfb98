// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/fast_div.cuh"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/launch.cuh"

namespace stepcast {
namespace {

constexpr int kThreads = 256;
constexpr int kUnroll = 4;

/// y[b,a,c] = x[a,b,c] in words, of which c elements are a whole number: runs of c are copied,
/// writes in order. Four reads in flight.
template <typename Word>
__global__ __launch_bounds__(kThreads) void permute_runs_kernel(Word* y, const Word* x,
                                                                std::uint64_t words,
                                                                std::uint64_t b,
                                                                FastDiv<std::uint64_t> a,
                                                                FastDiv<std::uint64_t> run) {
  const std::uint64_t first =
      static_cast<std::uint64_t>(blockIdx.x) * (kThreads * kUnroll) + threadIdx.x;
  Word values[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    std::uint64_t in_run = first + u * kThreads;
    if (in_run < words) {
      std::uint64_t in_a = run.divide(in_run);
      const std::uint64_t in_b = a.divide(in_a);
      values[u] = x[(in_a * b + in_b) * run.divisor() + in_run];
    }
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    if (first + u * kThreads < words) y[first + u * kThreads] = values[u];
  }
}

template <typename Word>
KernelList permute_runs(const PermuteShape& s, std::int64_t bytes, Buffers buffers) {
  const std::int64_t run = bytes / static_cast<std::int64_t>(sizeof(Word));
  const std::int64_t words = s.a * s.b * run;
  KernelList list;
  add_kernel(list, "permute_runs" + choices(8 * sizeof(Word)), permute_runs_kernel<Word>,
             blocks_for(words, kThreads * kUnroll), kThreads, static_cast<Word*>(buffers[1]),
             static_cast<const Word*>(buffers[0]), words, s.b, FastDiv<std::uint64_t>(s.a),
             FastDiv<std::uint64_t>(run));
  return list;
}

constexpr int kTile = 64;

/// y[b,a] = x[a,b] through a tile in shared memory, so that reads and writes are both in order.
template <typename Word>
__global__ __launch_bounds__(kThreads) void transpose_kernel(Word* y, const Word* x, std::int64_t a,
                                                             std::int64_t b,
                                                             std::int64_t tiles_of_b) {
  __shared__ Word tile[kTile][kTile + 4 / sizeof(Word) + (sizeof(Word) > 4)];  // no bank twice
  constexpr int kRows = kThreads / kTile;
  const int column = threadIdx.x % kTile;
  const int row = threadIdx.x / kTile;
  const std::int64_t first_a = blockIdx.x / tiles_of_b * kTile;
  const std::int64_t first_b = blockIdx.x % tiles_of_b * kTile;
#pragma unroll
  for (int r = row; r < kTile; r += kRows) {
    if (first_a + r < a && first_b + column < b) {
      tile[r][column] = x[(first_a + r) * b + first_b + column];
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = row; r < kTile; r += kRows) {
    if (first_b + r < b && first_a + column < a) {
      y[(first_b + r) * a + first_a + column] = tile[column][r];
    }
  }
}

template <typename Word>
KernelList transpose(const PermuteShape& s, Buffers buffers) {
  const std::int64_t tiles_of_b = (s.b + kTile - 1) / kTile;
  KernelList list;
  add_kernel(list, "transpose" + choices(8 * sizeof(Word)), transpose_kernel<Word>,
             blocks_for(tiles_of_b * ((s.a + kTile - 1) / kTile), 1), kThreads,
             static_cast<Word*>(buffers[1]), static_cast<const Word*>(buffers[0]), s.a, s.b,
             tiles_of_b);
  return list;
}

}  // namespace

KernelList permute_cuda(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  const auto& s = std::get<PermuteShape>(op.shape);
  const std::int64_t bytes = s.c * element_bytes(op.in);  // of a run
  if (bytes == 2) return transpose<std::uint16_t>(s, buffers);
  if (bytes == 4) return transpose<std::uint32_t>(s, buffers);
  if (bytes == 8) return transpose<std::uint64_t>(s, buffers);
  if (bytes % 16 == 0) return permute_runs<uint4>(s, bytes, buffers);
  if (bytes % 8 == 0) return permute_runs<std::uint64_t>(s, bytes, buffers);
  if (bytes % 4 == 0) return permute_runs<std::uint32_t>(s, bytes, buffers);
  if (bytes % 2 == 0) return permute_runs<std::uint16_t>(s, bytes, buffers);
  return permute_runs<std::uint8_t>(s, bytes, buffers);
}

}  // namespace stepcast
