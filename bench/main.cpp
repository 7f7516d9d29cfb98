// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
// stepcast-bench: times the ops and blocks of training steps on the GPU in front of you.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/keys_run.hpp"
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

/// Times the ops of --keys. Gives the exit code: 3 where a line was no key.
int run_keys(const BenchOptions& options, const std::vector<std::string>& command) {
  const std::string name = options.keys->string();
  std::ifstream file;
  if (name != "-") {
    file.open(name);
    if (!file) throw DataError(name + ": cannot be opened");
  }
  Session session(options, command);
  const MeasureOp measure = [&session](const Op& op, std::size_t repetition) -> const Measurement& {
    return session.measure({"", {op}}, repetition);
  };
  const int wrong = answer_keys(name == "-" ? std::cin : file, name == "-" ? "stdin" : name,
                                session.run(), measure, std::cout);
  return wrong == 0 ? 0 : 3;
}

/// A profile's run goes on in a new process, which knows from the rows what not to run again. Gives
/// an exit code where it cannot, or has been tried too often.
int start_again(char** argv, const DeviceLost& error) {
  constexpr int kMost = 20;
  constexpr const char* kCount = "STEPCAST_BENCH_RESTARTS";
  const char* count = std::getenv(kCount);
  const int restarts = count == nullptr ? 0 : std::atoi(count);
  fmt::print(stderr, "stepcast-bench: {}\n", error.what());
  if (restarts >= kMost) {
    fmt::print(stderr, "stepcast-bench: given up after {} new starts\n", restarts);
    return error.exit_code();
  }
  fmt::print(stderr, "stepcast-bench: going on in a new process\n");
  setenv(kCount, std::to_string(restarts + 1).c_str(), 1);
  execv("/proc/self/exe", argv);
  fmt::print(stderr, "stepcast-bench: no new process: {}\n", std::strerror(errno));
  return error.exit_code();
}

int run(int argc, char** argv) {
  const BenchOptions options = parse_options(argc, argv);
  if (options.help) {
    print_help();
    return 0;
  }
  const bool only_lists = wants_list(options.others);
  initialize_benchmark(argv[0], options.others);
  const std::vector<std::string> command(argv, argv + argc);
  if (options.keys && !only_lists) return run_keys(options, command);

  Cases listed = list_cases(options);
  for (const std::string& note : listed.notes) fmt::print(stderr, "note: {}\n", note);
  const std::string filter = benchmark::GetBenchmarkFilter();
  const std::vector<Case> cases = filtered(std::move(listed.cases), filter);
  if (cases.empty()) throw UsageError("--benchmark_filter: '" + filter + "' finds no benchmark");

  if (options.profile && !only_lists) {
    try {
      return run_profile(options, cases, command);
    } catch (const DeviceLost& error) {
      return start_again(argv, error);
    }
  }

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
