// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that do nothing but read and write, in the mixes that ops have.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <span>

namespace stepcast {

/// How many tensors are read for how many that are written.
struct Mix {
  int reads = 0;
  int writes = 0;
};

inline constexpr std::array<Mix, 7> kMixes{
    {{1, 0}, {4, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 3}, {0, 1}}};

/// Accesses of a thread to each tensor, of which none is the fastest for all mixes.
inline constexpr std::array<int, 3> kUnrolls{2, 4, 8};

/// Reads the first mix.reads tensors and writes the mix.writes that follow, each of `bytes` bytes
/// (a multiple of 16), 16 bytes an access. A mix that only reads writes nothing unless its sum is
/// NaN. `unroll`: one of kUnrolls. Errors: LibraryError.
void stream_mix(const Mix& mix, int unroll, std::span<void* const> tensors, std::int64_t bytes,
                cudaStream_t stream);

}  // namespace stepcast
