// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/libraries.hpp"

#include <string>

#include "core/cuda/check.hpp"

namespace stepcast {

Cudnn make_cudnn(SourceLocation where) {
  cudnnHandle_t handle = nullptr;
  check(cudnnCreate(&handle), "creating a cuDNN handle", where);
  return Cudnn(handle);
}

CublasLt make_cublaslt(SourceLocation where) {
  cublasLtHandle_t handle = nullptr;
  check(cublasLtCreate(&handle), "creating a cuBLASLt handle", where);
  return CublasLt(handle);
}

Stream make_stream(SourceLocation where) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream", where);
  return Stream(stream);
}

Event make_event(SourceLocation where) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "creating an event", where);
  return Event(event);
}

Libraries make_libraries(int index) {
  const std::string device = "device " + std::to_string(index);
  check(cudaSetDevice(index), "choosing " + device);
  Libraries libraries;
  libraries.device_index = index;
  check(cudaGetDeviceProperties(&libraries.device, index), "reading the properties of " + device);
  libraries.cudnn = make_cudnn();
  libraries.cublaslt = make_cublaslt();
  return libraries;
}

}  // namespace stepcast
