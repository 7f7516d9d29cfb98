// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
// stepcast-bench: times the ops and blocks of training steps on the GPU in front of you.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/options.hpp"
#include "bench/profile_run.hpp"
#include "bench/registration.hpp"
#include "bench/session.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

/// Hands Google Benchmark its arguments, of which it keeps a pointer to the program's name.
/// Errors: UsageError for one that it does not know either.
void initialize_benchmark(char* program, std::vector<std::string> arguments) {
  std::vector<char*> pointers{program};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(pointers.size()) - 1;
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) {
    throw UsageError(std::string(pointers[1]) +
                     ": no option of stepcast-bench or of Google Benchmark; --help lists both");
  }
}

void print_help() {
  fmt::print("{}\n", help_text());
  benchmark::PrintDefaultHelp();
}

int run(int argc, char** argv) {
  const BenchOptions options = parse_options(argc, argv);
  if (options.help) {
    print_help();
    return 0;
  }
  const bool only_lists = wants_list(options.others);
  initialize_benchmark(argv[0], options.others);

  Cases listed = list_cases(options);
  for (const std::string& note : listed.notes) fmt::print(stderr, "note: {}\n", note);
  const std::string filter = benchmark::GetBenchmarkFilter();
  const std::vector<Case> cases = filtered(std::move(listed.cases), filter);
  if (cases.empty()) throw UsageError("--benchmark_filter: '" + filter + "' finds no benchmark");

  const std::vector<std::string> command(argv, argv + argc);
  if (options.profile && !only_lists) return run_profile(options, cases, command);

  std::unique_ptr<Session> session;
  if (!only_lists) {
    session = std::make_unique<Session>(options, command);
    add_context(*session);
  }
  register_cases(cases, [&session]() -> Session& { return *session; });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace stepcast

int main(int argc, char** argv) {
  try {
    return stepcast::run(argc, argv);
  } catch (const stepcast::Error& error) {
    fmt::print(stderr, "stepcast-bench: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "stepcast-bench: {}\n", error.what());
    return 1;
  }
}
