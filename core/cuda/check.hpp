// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One overloaded check for the status of every library; what is not success becomes a LibraryError
// that says where, what was being done, and what the library said.

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <string_view>

#include "core/error.hpp"

namespace stepcast {

void check(cudaError_t status, std::string_view doing,
           SourceLocation where = SourceLocation::current());
void check(cudnnStatus_t status, std::string_view doing,
           SourceLocation where = SourceLocation::current());
void check(cublasStatus_t status, std::string_view doing,
           SourceLocation where = SourceLocation::current());

/// After a failure: clears the thread's last error and waits for the device. What it returns is not
/// cudaSuccess where the device is lost, so that nothing more can be run in this process.
[[nodiscard]] cudaError_t settle_device();

/// Reports a failed launch of one of our own kernels, and clears the error.
void check_launch(std::string_view kernel, SourceLocation where = SourceLocation::current());

}  // namespace stepcast
