// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/launcher.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {
namespace {

// torchrun, Open MPI, Slurm, and the process managers of MPICH.
constexpr std::array kProcessCounts{"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS",
                                    "PMI_SIZE"};

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

void refuse_launcher(const Environment& environment) {
  for (const char* variable : kProcessCounts) {
    const std::optional<std::string> value = environment(variable);
    if (!value || parse_integer(*value).value_or(1) <= 1) continue;
    throw UsageError(fmt::format(
        "{}={}: a launcher started several processes, and stepcast-comm runs as one over "
        "all GPUs that it sees; start it once, without mpirun, srun or torchrun, or "
        "unset {}",
        variable, *value, variable));
  }
}

}  // namespace stepcast
