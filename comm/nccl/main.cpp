// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0

// stepcast-comm: NCCL's allreduce over the GPUs that this process sees, as Google Benchmarks.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "comm/nccl/allreduce_benchmark.hpp"
#include "comm/nccl/allreduce_record.hpp"
#include "comm/nccl/bucket_sizes.hpp"
#include "comm/nccl/check_nccl.hpp"
#include "comm/nccl/comm_options.hpp"
#include "comm/nccl/communicators.hpp"
#include "comm/nccl/launcher.hpp"
#include "core/cuda/architecture.hpp"
#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

/// Hands Google Benchmark its arguments, of which it keeps a pointer to the program's name.
/// Errors: UsageError for one that nobody knows.
void initialize_benchmark(const CommOptions& options, char* program) {
  std::vector<std::string> arguments = options.others;
  std::vector<char*> pointers{program};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(pointers.size()) - 1;
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) throw UsageError(fmt::format("{}: there is no such option", pointers[1]));
}

std::vector<int> visible_devices() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting the GPUs that are visible");
  std::vector<int> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

void require_built_for_all(const std::vector<int>& devices) {
  for (const int device : devices) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device),
          fmt::format("reading the properties of device {}", device));
    require_built_for(properties);
  }
}

void time_cases(const CommOptions& options, std::vector<AllreduceCase> cases,
                const std::vector<std::string>& command) {
  const std::vector<int> devices = visible_devices();
  require_built_for_all(devices);
  const int ranks = static_cast<int>(devices.size());
  benchmark::AddCustomContext("nccl", nccl_version());
  benchmark::AddCustomContext("ranks", std::to_string(ranks));

  std::optional<AllreduceRecord> record;
  if (options.profile) {
    record.emplace(*options.profile, comm_run(command, devices, options.protocol));
    const std::size_t all = cases.size();
    if (!options.force) {
      std::erase_if(cases, [&](const AllreduceCase& one) { return record->contains(one, ranks); });
    }
    if (const std::size_t there = all - cases.size(); there > 0) {
      fmt::print(stderr, "{} of {} allreduce cases are in {} already\n", there, all,
                 options.profile->string());
    }
    if (cases.empty()) return;
  }
  CommSession session([&] { return std::make_unique<Communicators>(devices, options.timeout); },
                      options.protocol, record ? &*record : nullptr,
                      ProgressBar(cases.size(), options.progress));
  register_allreduce(cases, options.protocol, &session);
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    throw UsageError("--benchmark_filter: no case matches");
  }
  session.finish();
}

void run(int argc, char** argv) {
  const CommOptions options = parse_comm_options(argc, argv);
  if (options.help) {
    fmt::print("{}\n", comm_help());
    std::fflush(stdout);
    CommOptions help;
    help.others = {"--help"};
    initialize_benchmark(help, argv[0]);  // prints and ends the program
  }
  refuse_launcher(process_environment());
  initialize_benchmark(options, argv[0]);
  const std::vector<AllreduceCase> cases =
      allreduce_cases(options, bucket_sizes(options.models, options.cap));
  if (lists_only(options.others)) {
    register_allreduce(cases, options.protocol, nullptr);
    benchmark::RunSpecifiedBenchmarks();
    return;
  }
  time_cases(options, cases, {argv, argv + argc});
}

}  // namespace
}  // namespace stepcast

int main(int argc, char** argv) {
  try {
    stepcast::run(argc, argv);
    return 0;
  } catch (const stepcast::Error& error) {
    fmt::print(stderr, "stepcast-comm: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "stepcast-comm: {}\n", error.what());
    return 1;
  }
}
