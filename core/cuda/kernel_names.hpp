// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels a library really launches for an op, and how much of their time converts layouts.

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace stepcast {

struct KernelCensus {
  /// In the order of their launches, as short_kernel_name() writes them; "memset", "memcpy" and
  /// "host" for what is no kernel.
  std::vector<std::string> kernels;
  double conversion_share = 0;  // of the time, 0 to 1: kernels for which is_conversion() is true
  std::string reason;           // why there are no kernels, or no share of them; empty if there are
};

/// Runs the work once, so that its kernels are loaded, and captures it into a CUDA graph that gives
/// the names. Where there are conversions, the graph is timed with all its nodes, with the
/// conversions alone and with none: the share is (conversions - none) / (all - none). Times are
/// hot, medians of 5, each the mean of several launches behind a hold.
///
/// What the work has written is afterwards what these runs left. The stream can be used again
/// whatever happened, and must not be the default stream. Waits for it.
/// Errors: none; what the work or a library said is the reason.
KernelCensus census(const std::function<void(cudaStream_t)>& work, cudaStream_t stream);

/// The names alone; none where the work cannot be captured.
/// Errors: LibraryError if there is no stream to be had.
std::vector<std::string> kernel_names(const std::function<void(cudaStream_t)>& work);

}  // namespace stepcast
