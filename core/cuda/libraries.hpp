// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library handles of a run, passed down in one value, and the one owner type for all handles.

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <memory>
#include <type_traits>

#include "core/error.hpp"

namespace stepcast {

/// Owner of a library handle that `Destroy` gives back; the compiler writes the moves.
template <auto Destroy>
struct HandleDeleter {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Destroy(handle);
  }
};

template <typename Handle, auto Destroy>
using UniqueHandle = std::unique_ptr<std::remove_pointer_t<Handle>, HandleDeleter<Destroy>>;

using Cudnn = UniqueHandle<cudnnHandle_t, cudnnDestroy>;
using CublasLt = UniqueHandle<cublasLtHandle_t, cublasLtDestroy>;
using Stream = UniqueHandle<cudaStream_t, cudaStreamDestroy>;
using Event = UniqueHandle<cudaEvent_t, cudaEventDestroy>;

Cudnn make_cudnn(SourceLocation where = SourceLocation::current());
CublasLt make_cublaslt(SourceLocation where = SourceLocation::current());
Stream make_stream(SourceLocation where = SourceLocation::current());
/// An event that keeps time.
Event make_event(SourceLocation where = SourceLocation::current());

/// Handles live as long as the run.
struct Libraries {
  Cudnn cudnn;
  CublasLt cublaslt;
  cudaDeviceProp device{};
  int device_index = 0;
};

/// Handles on the device `index`. Errors: LibraryError.
Libraries make_libraries(int index = 0);

}  // namespace stepcast
