// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The makers of our own kernels, one for each family and provider.

#include <cuda_runtime_api.h>

#include "layers/op.hpp"
#include "layers/plans/kernel_list.hpp"

namespace stepcast {

// Each takes an op of its families, the memory of operands(op) and the device that it runs on, and
// gives the kernels, or why there are none. Errors: LibraryError.

KernelList activation_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList activation_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList avgpool_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList avgpool_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList batchnorm_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList batchnorm_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList bias_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList bias_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList elementwise_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList elementwise_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList layernorm_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList layernorm_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList loss_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList loss_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList maxpool_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList maxpool_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList optimizer_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList optimizer_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList permute_cuda(const Op& op, Buffers buffers, const cudaDeviceProp& device);
KernelList permute_native(const Op& op, Buffers buffers, const cudaDeviceProp& device);

}  // namespace stepcast
