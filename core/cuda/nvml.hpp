// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What NVIDIA's management library knows of a GPU. The library is opened at run time: nothing is
// needed to build, and a machine without it loses these fields alone.

#include <cstdint>
#include <optional>
#include <string>

namespace stepcast {

/// 0 or "" where the library does not say.
struct NvmlInfo {
  std::string driver;  // version, such as 580.65.06
  std::string uuid;    // GPU-...
  std::int64_t max_sm_clock_mhz = 0;
  std::int64_t max_memory_clock_mhz = 0;
  std::int64_t power_limit_mw = 0;
};

/// The GPU at a PCI address (0000:18:00.0), or nothing where the library or the GPU is not found.
std::optional<NvmlInfo> nvml_info(const std::string& pci_address);

}  // namespace stepcast
