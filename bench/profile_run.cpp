// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/profile_run.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>

#include "bench/progress.hpp"
#include "bench/recorded.hpp"
#include "bench/session.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/versions.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/run_record.hpp"

namespace stepcast {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// The first interrupt ends the run after the op in hand; a second one ends the program at once.
void interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

std::string uuid_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device),
        "reading the properties of device " + std::to_string(device));
  return gpu_uuid(properties);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw DataError(folder.string() + ": " + error.message());
}

/// How many ops came to each status, for the closing line.
class Tally {
 public:
  void add(RowStatus status) { ++counts_.at(static_cast<std::size_t>(status)); }

  [[nodiscard]] std::string text() const {
    return fmt::format("{} timed, {} unsupported, {} failed", counts_[0], counts_[1], counts_[2]);
  }

 private:
  std::array<std::int64_t, 3> counts_{};
};

}  // namespace

int run_profile(const BenchOptions& options, std::span<const Case> cases,
                const std::vector<std::string>& command) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path& folder = *options.profile;
  const int method = make_protocol(options.quick).method_version;
  const Recorded recorded(folder, uuid_of(options.device), method);
  const std::vector<Op> all = distinct_ops(cases);
  const std::vector<Op> ops = options.force ? all : recorded.remaining(all);
  if (ops.empty()) {
    fmt::print("{}: all {} ops are there\n", folder.string(), all.size());
    return 0;
  }

  make_folder(folder);
  Session session(options, command);
  nlohmann::json run = session.run();
  write_run(folder / "run.json", run);
  CsvWriter ceilings(folder / "ceilings.csv", ceilings_schema());
  for (const CeilingRow& row : session.ceilings()) ceilings.write(cells(row));

  CsvWriter out(folder / "ops.csv", ops_schema());
  interrupted = 0;
  std::signal(SIGINT, interrupt);
  Tally tally;
  Progress progress(options.progress, ops.size());
  for (std::size_t i = 0; i < ops.size() && interrupted == 0; ++i) {
    progress.show(i, key(ops[i]));
    const Measurement& measured = session.measure({"", {ops[i]}});
    tally.add(measured.status);
    for (const OpRow& row : rows(measured, ops[i], session.run_id())) {
      if (options.force || !recorded.contains(row)) out.write(cells(row));
    }
  }
  std::signal(SIGINT, SIG_DFL);

  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  run["seconds"] = seconds.count();
  write_run(folder / "run.json", run);
  fmt::print("{}: {}, {} there before, {:.0f} s{}\n", folder.string(), tally.text(),
             all.size() - ops.size(), seconds.count(), interrupted != 0 ? "; interrupted" : "");
  return interrupted != 0 ? 130 : 0;
}

}  // namespace stepcast
