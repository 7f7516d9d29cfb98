// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/batchnorm_native.cuh"

#include "layers/plans/kernel_families.hpp"

namespace stepcast {
namespace {

constexpr int kThreads = 128;

/// One thread a channel.
__global__ void update_statistics_kernel(BatchNormStatistics statistics, std::int64_t channels) {
  const std::int64_t channel = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (channel >= channels) return;
  statistics.write(channel, statistics.save_mean[channel], statistics.save_invstd[channel]);
}

}  // namespace

void add_update_statistics(KernelList& list, const ImageShape& s, const BatchNormForward& o) {
  add_kernel(list, "update_statistics", update_statistics_kernel, blocks_for(s.c, kThreads),
             kThreads, o.statistics(s), s.c);
}

KernelList batchnorm_native(const Op& op, Buffers buffers, const cudaDeviceProp&) {
  if (op.in != op.out) return refuse_types(op);
  if (op.epilogue != Epilogue::none) {
    return refusal("PyTorch's batch norm has no epilogue " + std::string(name(op.epilogue)));
  }
  return op.layout == Layout::nhwc ? batchnorm_native_nhwc(op, buffers)
                                   : batchnorm_native_nchw(op, buffers);
}

}  // namespace stepcast
