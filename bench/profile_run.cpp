// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/profile_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "bench/op_rows.hpp"
#include "bench/run_history.hpp"
#include "bench/run_protocol.hpp"
#include "bench/session.hpp"
#include "bench/step/block_row.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/versions.hpp"
#include "core/error.hpp"
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

/// With --force the rows of no run count, or where this process continues one, those of that run.
std::optional<std::string> runs_that_count(const BenchOptions& options) {
  if (!options.force) return std::nullopt;
  const auto continued = continued_run(*options.profile);
  return continued ? continued->record.value("id", "") : "";
}

/// A run into a profile's folder, from its first row to its last.
class ProfileRun {
 public:
  ProfileRun(const BenchOptions& options, const std::vector<std::string>& command,
             const Protocol& protocol)
      : options_(options),
        folder_(*options.profile),
        protocol_(protocol),
        continued_(continued_run(folder_)),
        session_(options, command, continued_),
        run_(session_.run()) {
    let_next_process_continue(session_.run_id());
  }

  int run(const Recorded& recorded, std::span<const Op> ops, std::span<const Case> blocks,
          std::size_t complete) {
    write_run(folder_ / "run.json", run_);
    if (!continued_) write_ceilings();

    interrupted = 0;
    std::signal(SIGINT, interrupt);
    const StatusCount count = time(recorded, ops);
    const Recorded now(folder_, uuid_of(options_.device), protocol_);
    time_blocks(recorded, now, blocks);
    sustain(now, blocks);
    std::signal(SIGINT, SIG_DFL);

    record_seconds();
    fmt::print("{}: {}, {} there before, {:.0f} s{}\n", folder_.string(), count.text(), complete,
               run_["seconds"].get<double>(), interrupted != 0 ? "; interrupted" : "");
    return interrupted != 0 ? 130 : 0;
  }

  /// Adds this process's seconds to the run's record.
  void record_seconds() {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    run_["seconds"] = session_.run().value("seconds", 0.0) + seconds.count();
    write_run(folder_ / "run.json", run_);
  }

  /// Notes that this process ends, and the run goes on in another.
  void record_loss() {
    run_["processes_lost"] = run_.value("processes_lost", 0) + 1;
    record_seconds();
  }

 private:
  void write_ceilings() {
    CsvWriter out(folder_ / "ceilings.csv", ceilings_schema());
    for (const CeilingRow& row : session_.ceilings()) out.write(cells(row));
  }

  StatusCount time(const Recorded& recorded, std::span<const Op> ops) {
    CsvWriter out(folder_ / "ops.csv", ops_schema());
    Progress progress(options_.progress, ops.size());
    const OpSource source{[&](const Op& op) -> const Measurement& {
                            session_.avoid(key(op), recorded.lethal(key(op)));
                            return session_.measure({"", {op}});
                          },
                          [] { return interrupted != 0; }};
    return time_ops(ops, source, recorded, session_.run_id(), out, progress);
  }

  /// The ops of a block as they were timed alone; nothing where one was not.
  static std::optional<std::vector<Alone>> alone(const Recorded& recorded, const Case& block) {
    std::vector<Alone> times;
    for (const Op& op : block.ops) {
      const auto time = recorded.alone(key(op));
      if (!time) return std::nullopt;
      times.push_back(*time);
    }
    return times;
  }

  static std::vector<std::int64_t> ranks(std::span<const Alone> alone) {
    std::vector<std::int64_t> ranks;
    ranks.reserve(alone.size());
    for (const Alone& one : alone) ranks.push_back(one.rank);
    return ranks;
  }

  /// `before`: what was there when this process began; `now`: with the ops that it has timed.
  void time_blocks(const Recorded& before, const Recorded& now, std::span<const Case> blocks) {
    if (blocks.empty()) return;
    CsvWriter out(folder_ / "blocks.csv", blocks_schema());
    Progress progress(options_.progress, blocks.size());
    for (std::size_t i = 0; i < blocks.size() && interrupted == 0; ++i) {
      if (before.has_block(blocks[i].name)) continue;
      progress.show(i, blocks[i].name);
      const auto times = alone(now, blocks[i]);
      BlockTiming timing;
      std::optional<DeviceLost> lost;
      if (times) {
        try {
          timing = session_.time_block(blocks[i], ranks(*times));
        } catch (const DeviceLost& error) {
          lost = error;
          timing.status = RowStatus::failed;
          timing.reason = error.what();
        }
      } else {
        timing.status = RowStatus::failed;
        timing.reason = "an op of the block was not timed";
      }
      out.write(cells(block_row(blocks[i], times.value_or(std::vector<Alone>{}), timing,
                                session_.l2(), session_.run_id())));
      if (lost) throw DeviceLost(*lost);
    }
  }

  /// The sustained clock, once a profile, of the first block whose ops were all timed.
  void sustain(const Recorded& recorded, std::span<const Case> blocks) {
    if (protocol_.sustained_time.count() <= 0 || interrupted != 0 || has_sustained_clock(folder_))
      return;
    for (const Case& block : blocks) {
      const auto times = alone(recorded, block);
      if (!times) continue;
      try {
        run_["sustained"] = session_.sustained_clock(block, ranks(*times));
      } catch (const DeviceLost& error) {
        run_["sustained"] = {{"block", block.name}, {"reason", error.what()}};
        throw;
      }
      if (!run_["sustained"].is_null()) return;
    }
  }

  const BenchOptions& options_;
  const std::filesystem::path& folder_;
  const Protocol& protocol_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<ContinuedRun> continued_;
  Session session_;
  nlohmann::json run_;
};

}  // namespace

int run_profile(const BenchOptions& options, std::span<const Case> cases,
                const std::vector<std::string>& command) {
  const std::filesystem::path& folder = *options.profile;
  const Protocol protocol = protocol_of(options);
  const std::string uuid = uuid_of(options.device);  // first: without a GPU no folder is made
  make_folder(folder);
  // A row that a killed process left unfinished is cut off before the file is read.
  { const CsvWriter cut(folder / "ops.csv", ops_schema()); }
  if (std::filesystem::exists(folder / "blocks.csv")) {
    const CsvWriter cut(folder / "blocks.csv", blocks_schema());
  }
  const Recorded recorded(folder, uuid, protocol, runs_that_count(options));
  const std::vector<Op> all = distinct_ops(cases);
  const std::vector<Op> ops = recorded.remaining(all);
  const std::vector<Case> blocks = distinct_blocks(cases);
  const bool blocks_left = std::any_of(blocks.begin(), blocks.end(), [&](const Case& block) {
    return !recorded.has_block(block.name);
  });
  const bool clock_left =
      protocol.sustained_time.count() > 0 && !blocks.empty() && !has_sustained_clock(folder);
  if (ops.empty() && !blocks_left && !clock_left) {
    fmt::print("{}: all {} ops are there\n", folder.string(), all.size());
    return 0;
  }
  ProfileRun run(options, command, protocol);
  try {
    return run.run(recorded, ops, blocks, all.size() - ops.size());
  } catch (const DeviceLost&) {
    run.record_loss();
    throw;
  }
}

}  // namespace stepcast
