// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the GPUs of one machine are linked, which decides whether allreduce times of some of them
// say anything about those of more.

#include <filesystem>
#include <string>

#include "core/enum_names.hpp"

namespace stepcast {

/// nvswitch: each GPU's links lead to switches, so every pair has all of them. nvls: the same, and
/// the switches sum (NVLink SHARP). mesh: links between pairs, as in DGX-1 and in boards of four
/// GPUs without a switch. pcie: some pair has no NVLink.
enum class Fabric { unknown, nvswitch, nvls, mesh, pcie };

inline constexpr EnumNames<Fabric, 5> kFabricNames{{{Fabric::unknown, "unknown"},
                                                    {Fabric::nvswitch, "nvswitch"},
                                                    {Fabric::nvls, "nvls"},
                                                    {Fabric::mesh, "mesh"},
                                                    {Fabric::pcie, "pcie"}}};

/// The fabric that the output of `nvidia-smi topo -m` shows, colours or not. Equal links between
/// all pairs mean a switch if a GPU could not have so many links of its own (more than 18 in all);
/// two GPUs alone are `unknown` where they are linked: a bridge looks the same as a switch.
/// Errors: DataError `file:line` if there is no matrix of two GPUs or more in it.
Fabric read_topology(const std::filesystem::path& file);
Fabric topology_fabric(const std::string& text, const std::string& place);

}  // namespace stepcast
