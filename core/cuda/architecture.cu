// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/architecture.hpp"

#include <string>

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

__global__ void probe() {}

}  // namespace

void require_built_for(const cudaDeviceProp& device) {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, probe);
  const bool no_code = status == cudaErrorNoKernelImageForDevice ||
                       status == cudaErrorInvalidDeviceFunction ||
                       status == cudaErrorUnsupportedPtxVersion;
  if (!no_code) return check(status, "looking for device code");
  const std::string architecture = std::to_string(device.major) + std::to_string(device.minor);
  check(status, "this program was built for GPU architectures " STEPCAST_ARCHITECTURES
                ", and this " +
                    std::string(device.name) + " is sm_" + architecture +
                    "; configure with -DSTEPCAST_CUDA_ARCHITECTURES=" + architecture);
}

}  // namespace stepcast
