// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace stepcast {
namespace {

// The part of NVML's stable ABI that is called here.
using NvmlDevice = void*;
constexpr int kNvmlSuccess = 0;
constexpr unsigned kNvmlClockSm = 1;
constexpr unsigned kNvmlClockMemory = 2;

struct CloseLibrary {
  void operator()(void* library) const noexcept { dlclose(library); }
};
using DynamicLibrary = std::unique_ptr<void, CloseLibrary>;

template <typename Function>
Function* symbol(const DynamicLibrary& library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library.get(), name));
}

/// Shuts NVML down at the end of its scope.
class NvmlSession {
 public:
  explicit NvmlSession(const DynamicLibrary& library)
      : shutdown_(symbol<int()>(library, "nvmlShutdown")) {
    auto* init = symbol<int()>(library, "nvmlInit_v2");
    open_ = init != nullptr && init() == kNvmlSuccess;
  }
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;
  ~NvmlSession() {
    if (open_ && shutdown_ != nullptr) shutdown_();
  }

  [[nodiscard]] bool open() const { return open_; }

 private:
  int (*shutdown_)();
  bool open_ = false;
};

std::int64_t max_clock(const DynamicLibrary& library, NvmlDevice device, unsigned clock) {
  auto* read = symbol<int(NvmlDevice, unsigned, unsigned*)>(library, "nvmlDeviceGetMaxClockInfo");
  unsigned mhz = 0;
  return read != nullptr && read(device, clock, &mhz) == kNvmlSuccess ? mhz : 0;
}

}  // namespace

std::optional<NvmlInfo> nvml_info(const std::string& pci_address) {
  const DynamicLibrary library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
  if (!library) return std::nullopt;
  const NvmlSession session(library);
  auto* find = symbol<int(const char*, NvmlDevice*)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  NvmlDevice device = nullptr;
  if (!session.open() || find == nullptr || find(pci_address.c_str(), &device) != kNvmlSuccess) {
    return std::nullopt;
  }

  NvmlInfo info;
  std::array<char, 96> text{};
  const auto length = static_cast<unsigned>(text.size());
  if (auto* read = symbol<int(char*, unsigned)>(library, "nvmlSystemGetDriverVersion");
      read != nullptr && read(text.data(), length) == kNvmlSuccess) {
    info.driver = text.data();
  }
  if (auto* read = symbol<int(NvmlDevice, char*, unsigned)>(library, "nvmlDeviceGetUUID");
      read != nullptr && read(device, text.data(), length) == kNvmlSuccess) {
    info.uuid = text.data();
  }
  if (auto* read =
          symbol<int(NvmlDevice, unsigned*)>(library, "nvmlDeviceGetPowerManagementLimit")) {
    unsigned milliwatts = 0;
    if (read(device, &milliwatts) == kNvmlSuccess) info.power_limit_mw = milliwatts;
  }
  info.max_sm_clock_mhz = max_clock(library, device, kNvmlClockSm);
  info.max_memory_clock_mhz = max_clock(library, device, kNvmlClockMemory);
  return info;
}

}  // namespace stepcast
