// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/versions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "core/cuda/check.hpp"
#include "core/cuda/nvml.hpp"
#include "core/run_record.hpp"

namespace stepcast {
namespace {

/// Characters that no shell gives a meaning to.
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";

std::string pci_address(const cudaDeviceProp& device) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", device.pciDomainID, device.pciBusID,
                     device.pciDeviceID);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// "model name" of the first processor, as the kernel lists it.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

/// The command as a shell would take it back, without the folder that the program lies in.
std::string command_line(std::vector<std::string> command) {
  if (!command.empty()) command[0] = std::filesystem::path(command[0]).filename().string();
  std::string line;
  for (const std::string& word : command) {
    const bool plain = word.find_first_not_of(kPlain) == std::string::npos && !word.empty();
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return line;
}

}  // namespace

std::string version_text(std::size_t version, std::size_t major_step, std::size_t minor_step) {
  return fmt::format("{}.{}.{}", version / major_step, version % major_step / minor_step,
                     version % minor_step);
}

std::string gpu_uuid(const cudaDeviceProp& device) { return uuid_text(device.uuid); }

nlohmann::json library_versions() {
  int known_to_driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&known_to_driver), "reading the driver's version");
  check(cudaRuntimeGetVersion(&runtime), "reading the CUDA runtime's version");
  return {{"cuda_driver", version_text(static_cast<std::size_t>(known_to_driver), 1000, 10)},
          {"cuda_runtime", version_text(static_cast<std::size_t>(runtime), 1000, 10)},
          {"cudnn", version_text(cudnnGetVersion(), 10000, 100)},
          {"cublaslt", version_text(cublasLtGetVersion(), 10000, 100)}};
}

nlohmann::json gpu_record(const cudaDeviceProp& device) {
  const std::string pci = pci_address(device);
  const NvmlInfo nvml = nvml_info(pci).value_or(NvmlInfo{});
  return {{"name", device.name},
          {"uuid", gpu_uuid(device)},
          {"pci", pci},
          {"compute_capability", fmt::format("{}.{}", device.major, device.minor)},
          {"sm_count", device.multiProcessorCount},
          {"l2_bytes", device.l2CacheSize},
          {"memory_bytes", device.totalGlobalMem},
          {"driver", nvml.driver},
          {"clocks",
           {{"max_sm_mhz", nvml.max_sm_clock_mhz},
            {"max_memory_mhz", nvml.max_memory_clock_mhz},
            {"power_limit_w", static_cast<double>(nvml.power_limit_mw) / 1000}}}};
}

nlohmann::json new_run(std::string_view program, const std::vector<std::string>& command,
                       const cudaDeviceProp& device) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {{"id", new_run_id()},
          {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"seconds", 0.0},
          {"program", program},
          {"command", command_line(command)},
          {"commit", STEPCAST_COMMIT},
          {"gpu", gpu_record(device)},
          {"libraries", library_versions()},
          {"host", {{"cpu", cpu_name()}, {"threads", std::thread::hardware_concurrency()}}}};
}

}  // namespace stepcast
