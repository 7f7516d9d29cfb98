// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <variant>

#include "core/cuda/device_buffer.hpp"
#include "layers/verify/product_axes.hpp"
#include "layers/verify/product_compare.cuh"

namespace stepcast {
namespace {

constexpr unsigned kLanes = 32;  // columns of a block
constexpr unsigned kRows = 8;    // rows that a block adds at a time

/// sums[column] += the column's sum over this block's rows.
template <typename T>
__global__ void add_columns(const T* matrix, std::int64_t rows, std::int64_t columns,
                            double* sums) {
  __shared__ double part[kRows][kLanes];
  const std::int64_t column = std::int64_t{blockIdx.x} * kLanes + threadIdx.x;
  double sum = 0;
  if (column < columns) {
    const std::int64_t step = std::int64_t{gridDim.y} * kRows;
    for (std::int64_t row = std::int64_t{blockIdx.y} * kRows + threadIdx.y; row < rows;
         row += step) {
      sum += to_double(matrix[row * columns + column]);
    }
  }
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (unsigned row = 1; row < kRows; ++row) sum += part[row][threadIdx.x];
  atomicAdd(sums + column, sum);
}

/// dbias[n] = sum over m of dy[m,n].
void bias_gradient(const VerifyCase& checked, const GemmShape& s) {
  const DeviceBuffer<double> sums(static_cast<std::size_t>(s.n));
  check(cudaMemsetAsync(sums.data(), 0, sums.bytes(), checked.stream), "emptying sums");
  const auto row_blocks = static_cast<unsigned>(std::clamp<std::int64_t>(s.m / 256, 1, 1024));
  const dim3 grid(static_cast<unsigned>((s.n + kLanes - 1) / kLanes), row_blocks);
  with_real_type(checked.op.in, [&](auto stored) {
    using T = typename decltype(stored)::type;
    add_columns<<<grid, dim3(kLanes, kRows), 0, checked.stream>>>(input<T>(checked, "dy"), s.m, s.n,
                                                                  sums.data());
    check_launch("add_columns");
  });
  compare_sums(checked, sums.data(), "dbias");
  check(cudaStreamSynchronize(checked.stream), "comparing dbias");  // before sums are freed
}

Finishing finishing(const VerifyCase& checked, Finish finish, std::string_view name) {
  return {finish, checked.op.provider == Provider::cublaslt, input<void>(checked, name),
          checked.tally.operands()[place_of(checked, name)].type};
}

}  // namespace

void verify_gemm(const VerifyCase& checked) {
  const ProductAxes product = gemm_product(checked.op);
  switch (checked.op.epilogue) {
    case Epilogue::bias:
      return compare_product(checked, product, "y", finishing(checked, Finish::bias, "bias"));
    case Epilogue::bias_gelu:
      compare_product(checked, product, "aux", finishing(checked, Finish::bias, "bias"));
      return compare_product(checked, product, "y", finishing(checked, Finish::bias_gelu, "bias"));
    case Epilogue::dgelu:
      return compare_product(checked, product, "dx", finishing(checked, Finish::dgelu, "aux"));
    case Epilogue::bgrad:
      bias_gradient(checked, std::get<GemmShape>(checked.op.shape));
      break;
    default:
      break;
  }
  if (checked.op.family == Family::gemm_wgrad) return compare_long_product(checked, product, "dw");
  compare_product(checked, product, checked.op.family == Family::gemm_fprop ? "y" : "dx");
}

}  // namespace stepcast
