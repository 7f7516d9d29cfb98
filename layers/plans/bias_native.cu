// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/elementwise.cuh"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/reduce.cuh"
#include "layers/plans/strided.cuh"

namespace stepcast {
namespace {

/// y[i] += bias[i mod n]: the broadcast operand makes PyTorch's add a strided one.
template <typename Y, typename B, typename Index>
struct BiasElement {
  Y* y;
  const B* bias;
  FastDiv<Index> columns;

  __device__ void operator()(Index i) const {
    Index column = i;
    columns.divide(column);
    y[i] = from_float<Y>(to_float(y[i]) + to_float(bias[column]));
  }
};

// PyTorch's reduce_kernel for sums over rows: 32 threads over columns with up to four columns each,
// four over rows, four rows in flight; where columns leave the GPU empty, several blocks share them
// and the last one adds the blocks' sums.
constexpr int kLanes = 32;
constexpr int kRowThreads = 4;
constexpr int kInFlight = 4;

/// partials: grid.y sums a column; counters: one zero for each grid.x.
template <int Width, typename T, typename Y>
__global__ __launch_bounds__(kLanes* kRowThreads) void reduce_rows_kernel(const T* dy, Y* dbias,
                                                                          std::int64_t rows,
                                                                          std::int64_t columns,
                                                                          float* partials,
                                                                          unsigned* counters) {
  __shared__ float scratch[kRowThreads][kLanes * Width];
  const std::int64_t column =
      (static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x) * Width;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.y) * kRowThreads;
  float sums[kInFlight][Width] = {};
  if (column < columns) {
    std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * kRowThreads + threadIdx.y;
    for (; row + (kInFlight - 1) * stride < rows; row += kInFlight * stride) {
      Pack<T, Width> packs[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        packs[k] = load<Width>(dy + (row + k * stride) * columns + column);
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
#pragma unroll
        for (int w = 0; w < Width; ++w) sums[k][w] += to_float(packs[k].value[w]);
      }
    }
    for (; row < rows; row += stride) {
      const Pack<T, Width> pack = load<Width>(dy + row * columns + column);
#pragma unroll
      for (int w = 0; w < Width; ++w) sums[0][w] += to_float(pack.value[w]);
    }
  }
#pragma unroll
  for (int w = 0; w < Width; ++w) {
    scratch[threadIdx.y][threadIdx.x * Width + w] =
        (sums[0][w] + sums[1][w]) + (sums[2][w] + sums[3][w]);
  }
  __syncthreads();
  const bool shared = gridDim.y > 1;
  for (int w = static_cast<int>(threadIdx.y); w < Width; w += kRowThreads) {
    if (column + w >= columns) break;
    float sum = 0.0F;
    for (int r = 0; r < kRowThreads; ++r) sum += scratch[r][threadIdx.x * Width + w];
    if (shared) {
      partials[blockIdx.y * columns + column + w] = sum;
    } else {
      dbias[column + w] = from_float<Y>(sum);
    }
  }
  if (!shared || !last_block(counters + blockIdx.x, gridDim.y)) return;
#pragma unroll
  for (int w = 0; w < Width; ++w) {
    float sum = 0.0F;
    for (unsigned part = threadIdx.y; part < gridDim.y && column < columns; part += kRowThreads) {
      sum += __ldcg(partials + part * columns + column + w);
    }
    scratch[threadIdx.y][threadIdx.x * Width + w] = sum;
  }
  __syncthreads();
  for (int w = static_cast<int>(threadIdx.y); w < Width; w += kRowThreads) {
    if (column + w >= columns) break;
    float sum = 0.0F;
    for (int r = 0; r < kRowThreads; ++r) sum += scratch[r][threadIdx.x * Width + w];
    dbias[column + w] = from_float<Y>(sum);
  }
}

template <typename T, typename Y, int Width>
KernelList bias_gradient(const MatrixShape& s, Buffers b, int multiprocessors) {
  const std::int64_t per_thread = (s.m + kRowThreads - 1) / kRowThreads;
  const unsigned strips = blocks_for(s.n, kLanes * Width);
  // Blocks that fill the GPU, but 16 to 256 values a thread.
  const std::int64_t fill = 16 * multiprocessors;
  std::int64_t slices = 1;
  if (per_thread >= 16 && strips <= fill) {
    slices = std::max(std::min((fill + strips - 1) / strips, (per_thread + 15) / 16),
                      (per_thread + 255) / 256);
  }
  KernelList list;
  float* partials = slices > 1 ? list.zeroed<float>(slices * s.n) : nullptr;
  unsigned* counters = slices > 1 ? list.zeroed<unsigned>(strips) : nullptr;
  add_kernel(list, "reduce_rows" + choices(type_text<T>, type_text<Y>, Width),
             reduce_rows_kernel<Width, T, Y>,
             dim3(strips, static_cast<unsigned>(std::min<std::int64_t>(slices, 65535))),
             dim3(kLanes, kRowThreads), static_cast<const T*>(b[0]), static_cast<Y*>(b[1]), s.m,
             s.n, partials, counters);
  return list;
}

template <typename T, typename Y>
KernelList bias_add(const MatrixShape& s, Buffers b) {
  KernelList list;
  add_strided(list, "bias_add_strided" + choices(type_text<T>, type_text<Y>), s.m * s.n,
              [&](auto tag) {
                using Index = typename decltype(tag)::type;
                return BiasElement<Y, T, Index>{static_cast<Y*>(b[0]), static_cast<const T*>(b[1]),
                                                FastDiv<Index>(s.n)};
              });
  return list;
}

}  // namespace

KernelList bias_native(const Op& op, Buffers b, const cudaDeviceProp& device) {
  const auto& s = std::get<MatrixShape>(op.shape);
  return with_real_pair(op, [&](auto in, auto out) {
    using T = typename decltype(in)::type;
    using Y = typename decltype(out)::type;
    if (op.family == Family::bias_add) return bias_add<T, Y>(s, b);
    if (s.n % 4 == 0) return bias_gradient<T, Y, 4>(s, b, device.multiProcessorCount);
    return bias_gradient<T, Y, 1>(s, b, device.multiProcessorCount);
  });
}

}  // namespace stepcast
