// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The command line of stepcast-comm. What is not ours is left to Google Benchmark.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "comm/nccl/allreduce_timing.hpp"
#include "core/dtype.hpp"
#include "core/units.hpp"

namespace stepcast {

struct CommOptions {
  std::vector<std::string> models;  // whose bucket sizes are timed
  Bytes cap = mib(25);              // DDP's bucket cap
  std::vector<std::int64_t> sizes;  // payloads in bytes beside the buckets'
  std::vector<DType> dtypes{DType::fp32};
  std::vector<bool> placements{true, false};  // in place
  AllreduceProtocol protocol;
  Seconds timeout{60};

  std::optional<std::filesystem::path> profile;
  bool force = false;
  bool progress = false;
  bool help = false;
  std::vector<std::string> others;  // arguments that Google Benchmark may know
};

/// Errors: UsageError that begins with the option.
CommOptions parse_comm_options(int argc, const char* const* argv);

/// What --help prints of our own options, with examples.
std::string comm_help();

/// Whether these arguments for Google Benchmark ask for the list of names and nothing else.
bool lists_only(const std::vector<std::string>& arguments);

/// Powers of two, from 1 KiB to 1 GiB.
std::vector<std::int64_t> powers_of_two();

/// What is timed: for each type and placement the sizes, ascending, each once. bucket_bytes are
/// those of fp32 gradients; fp16 and bf16 ones, as a compressing hook sends them, are half of it.
/// Errors: UsageError if a size is no whole number of elements.
std::vector<AllreduceCase> allreduce_cases(const CommOptions& options,
                                           const std::vector<std::int64_t>& bucket_bytes);

}  // namespace stepcast
