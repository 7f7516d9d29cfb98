// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/allreduce_benchmark.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "comm/collective.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

benchmark::Counter rate(double value) {
  return {value, benchmark::Counter::kDefaults, benchmark::Counter::kIs1000};
}

void set_counters(benchmark::State& state, const AllreduceCase& one, const AllreduceTiming& timing,
                  int ranks) {
  state.counters["ranks"] = ranks;
  state.counters["wrong"] = static_cast<double>(timing.wrong_elements);
  if (ranks == 1) {
    state.SetLabel(kNoCommunication);
    return;
  }
  const Bytes payload(static_cast<double>(one.payload_bytes));
  state.counters["median_us"] = timing.median / microseconds(1);
  state.counters["min_us"] = timing.min_rank / microseconds(1);
  state.counters["mean_us"] = timing.mean_rank / microseconds(1);
  state.counters["max_us"] = timing.max_rank / microseconds(1);
  state.counters["algbw"] = rate(algorithm_bandwidth(payload, timing.max_rank).count());
  state.counters["busbw"] = rate(bus_bandwidth(ranks, payload, timing.max_rank).count());
}

}  // namespace

CommSession::CommSession(MakeCommunicators make, AllreduceProtocol protocol,
                         AllreduceRecord* record, ProgressBar progress)
    : make_(std::move(make)), protocol_(protocol), record_(record), progress_(progress) {}

void CommSession::run(benchmark::State& state, const AllreduceCase& one) {
  if (error_) {
    state.SkipWithError("not run: an earlier case ended in an error");
    return;
  }
  progress_.begin(case_name(one));
  try {
    time(state, one);
  } catch (const Error& error) {
    error_ = std::current_exception();
    state.SkipWithError(error.what());
  }
  progress_.end();
}

void CommSession::time(benchmark::State& state, const AllreduceCase& one) {
  if (!comms_) comms_ = make_();
  const int ranks = comms_->size();
  std::string reason;
  const auto buffers = AllreduceBuffers::make(*comms_, one, reason);
  if (!buffers) {
    write(untimed_row(one, RowStatus::unsupported, reason, ranks));
    state.SkipWithError(reason.c_str());
    return;
  }
  AllreduceTiming timing;
  try {
    timing = time_allreduce(*comms_, *buffers, one, protocol_);
  } catch (const LibraryError& error) {
    write(untimed_row(one, RowStatus::failed, error.what(), ranks));
    throw;
  }
  const AllreduceRow row = timed_row(one, timing, ranks);
  write(row);
  if (row.status == RowStatus::failed) {
    ++wrong_cases_;
    state.SkipWithError(row.reason.c_str());
    return;
  }
  // The series is taken already; each iteration reports its mean.
  for (const auto& iteration : state) {
    static_cast<void>(iteration);
    state.SetIterationTime(timing.max_rank.count());
  }
  set_counters(state, one, timing, ranks);
}

void CommSession::write(const AllreduceRow& row) {
  if (record_ != nullptr) record_->write(row);
}

void CommSession::finish() {
  if (record_ != nullptr) record_->finish();
  if (error_) std::rethrow_exception(error_);
  if (wrong_cases_ > 0) {
    throw LibraryError(SourceLocation::current(), "summing over ranks",
                       fmt::format("NCCL, {} cases had wrong elements", wrong_cases_));
  }
}

void register_allreduce(const std::vector<AllreduceCase>& cases, const AllreduceProtocol& protocol,
                        CommSession* session) {
  for (const AllreduceCase& one : cases) {
    benchmark::RegisterBenchmark(
        case_name(one).c_str(),
        [session, one](benchmark::State& state) { session->run(state, one); })
        ->Iterations(protocol.iterations)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace stepcast
