// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The run record's parts that this machine fills in: the GPU, the libraries that were really
// loaded, the host, the build.

#include <cuda_runtime_api.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// Versions as the loaded libraries report them, not those of the headers: CUDA that the
/// driver knows, CUDA runtime, cuDNN, cuBLASLt. Errors: LibraryError.
nlohmann::json library_versions();

/// {name, uuid, pci, compute_capability, sm_count, l2_bytes, memory_bytes, driver, clocks {...}};
/// what only NVML knows is 0 or "" without it.
nlohmann::json gpu_record(const cudaDeviceProp& device);

/// GPU-xxxxxxxx-xxxx-..., as the driver's tools print it.
std::string gpu_uuid(const cudaDeviceProp& device);

/// Parts of a run's record that every program of the GPU half writes alike: id, started, seconds (0
/// until it ends), program, command, commit, gpu, libraries, host.
/// Errors: LibraryError.
nlohmann::json new_run(std::string_view program, const std::vector<std::string>& command,
                       const cudaDeviceProp& device);

/// A version that a library encodes as major * major_step + minor * minor_step + patch, as text:
/// 13000 in steps of 1000 and 10 is 13.0.0, 91900 in steps of 10000 and 100 is 9.19.0.
std::string version_text(std::size_t version, std::size_t major_step, std::size_t minor_step);

}  // namespace stepcast
