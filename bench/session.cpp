// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/session.hpp"

#include <array>
#include <utility>

#include "bench/ceilings.hpp"
#include "bench/measure.hpp"
#include "bench/run_protocol.hpp"
#include "core/cuda/architecture.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/versions.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kAllCandidates = 200;  // no library names more for one op

PlanOptions plan_options(const BenchOptions& options) {
  const auto most = static_cast<std::size_t>(options.max_candidates);
  return {static_cast<std::size_t>(options.workspace_mib) << 20U,
          most == 0 ? kAllCandidates : most};
}

/// The device's libraries, once it is sure that this build can run there.
Libraries ready_libraries(int index) {
  Libraries libraries = make_libraries(index);
  require_built_for(libraries.device);
  return libraries;
}

StopwatchOptions stopwatch_options(const Protocol& protocol, const cudaDeviceProp& device) {
  return {protocol.hold,
          protocol.hold_timeout,
          l2_bytes(device) * protocol.flush_l2,
          protocol.launches_behind_hold,
          protocol.pause,
          protocol.graph_nodes};
}

/// The record of a run that begins now.
nlohmann::json begin_run(const std::vector<std::string>& command, const Protocol& protocol,
                         const PlanOptions& plans, const cudaDeviceProp& device) {
  nlohmann::json run = new_run("stepcast-bench " STEPCAST_VERSION, command, device);
  run["method_version"] = protocol.method_version;
  run["protocol"] = record(protocol, l2_bytes(device) * protocol.flush_l2);
  run["protocol"]["workspace_limit_bytes"] = plans.workspace_limit_bytes;
  run["protocol"]["max_candidates"] = plans.max_candidates;
  return run;
}

double highest_clock_mhz(const nlohmann::json& run) {
  return run.at("gpu").at("clocks").value("max_sm_mhz", 0.0);
}

}  // namespace

Session::Session(const BenchOptions& options, const std::vector<std::string>& command,
                 const std::optional<ContinuedRun>& continued)
    : protocol_(protocol_of(options)),
      plans_(plan_options(options)),
      libraries_(ready_libraries(options.device)),
      stopwatch_(stopwatch_options(protocol_, libraries_.device)),
      run_(continued ? continued->record
                     : begin_run(command, protocol_, plans_, libraries_.device)),
      sampler_(clock_, protocol_, highest_clock_mhz(run_)),
      lethal_(options.avoided) {
  if (continued) {
    ceilings_ = continued->ceilings;
    return;
  }
  ceilings_ = measure_ceilings(
      {libraries_, arena_, scratch_, stopwatch_, sampler_, clock_, protocol_, plans_}, run_id());
}

const Measurement& Session::measure(const Case& chosen, std::size_t repetition) {
  std::vector<Measurement>& repetitions = measured_[identity(chosen)];
  while (repetitions.size() <= repetition) {
    const bool again = !repetitions.empty() && repetitions.front().status == RowStatus::ok;
    const Measurement known = again ? repetitions.front() : Measurement{};
    repetitions.push_back(time(chosen, again ? &known : nullptr));
  }
  return repetitions[repetition];
}

Measurement Session::time(const Case& chosen, const Measurement* known) {
  if (chosen.ops.size() > 1) return time_block_case(chosen);
  try {
    return time_op(chosen, known);
  } catch (const LibraryError& error) {  // while its operands and plans were made
    Measurement result;
    result.status = RowStatus::failed;
    result.device_lost = settle_device() != cudaSuccess;
    result.reason = (result.device_lost ? std::string(kLostBeforeAPlan) : "") + error.what();
    return result;
  }
}

Measurement Session::time_op(const Case& chosen, const Measurement* known) {
  Workload workload =
      make_workload(libraries_, arena_, chosen.ops,
                    workload_options(protocol_, plans_, libraries_.device), stopwatch_.stream());
  if (workload.status != RowStatus::ok) {
    Measurement result;
    result.status = workload.status;
    result.reason = workload.reason;
    return result;
  }
  const auto lethal = lethal_.find(identity(chosen));
  GpuSubject subject(workload, stopwatch_, scratch_, protocol_,
                     lethal == lethal_.end() ? std::set<std::int64_t>{} : lethal->second);
  return stepcast::measure(subject, sampler_, protocol_, known);
}

Measurement Session::time_block_case(const Case& block) {
  Measurement result;
  std::vector<std::int64_t> ranks;
  for (const Op& op : block.ops) {
    // The block runs each op's fastest plan, which timing the op alone has found.
    const Measurement& alone = measure({"", {op}});
    if (alone.status != RowStatus::ok) {
      result.status = alone.status;
      result.reason = key(op) + ": " + alone.reason;
      return result;
    }
    ranks.push_back(alone.best.rank);
  }
  const BlockTiming timing = time_block(block, ranks);
  result.status = timing.status;
  result.reason = timing.reason;
  result.best.facts.plan = std::to_string(block.ops.size()) + " ops";
  result.best.cold = timing.chained;
  return result;
}

Workload Session::block_workload(const Case& block, std::span<const std::int64_t> ranks,
                                 Dataflow dataflow) {
  WorkloadOptions options = workload_options(protocol_, plans_, libraries_.device);
  options.dataflow = dataflow;
  Workload workload = make_workload(libraries_, arena_, block.ops, options, stopwatch_.stream());
  if (workload.status != RowStatus::ok) return workload;
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    if (workload.plans[i]->select(static_cast<std::size_t>(ranks[i]))) continue;
    workload.status = RowStatus::failed;
    workload.reason = key(block.ops[i]) + ": plan " + std::to_string(ranks[i]) + " is gone";
  }
  return workload;
}

Timing Session::time_whole(Workload& workload) {
  GpuSubject subject(workload, stopwatch_, scratch_, protocol_);
  return sampler_.cold(subject);
}

BlockTiming Session::time_block(const Case& block, std::span<const std::int64_t> ranks) {
  BlockTiming result;
  try {
    for (const Dataflow dataflow : {Dataflow::chained, Dataflow::apart}) {
      Workload workload = block_workload(block, ranks, dataflow);
      result.status = workload.status;
      result.reason = workload.reason;
      if (workload.status != RowStatus::ok) return result;
      (dataflow == Dataflow::chained ? result.chained : result.apart) = time_whole(workload);
    }
  } catch (const LibraryError& error) {
    result.status = RowStatus::failed;
    result.reason = error.what();
    if (settle_device() != cudaSuccess) throw DeviceLost(block.name + ": " + result.reason);
  } catch (const HoldTimeout& error) {
    result.status = RowStatus::failed;
    result.reason = error.what();
  } catch (const Throttled& error) {
    result.status = RowStatus::throttled;
    result.reason = error.what();
  }
  return result;
}

nlohmann::json Session::sustained_clock(const Case& block, std::span<const std::int64_t> ranks) {
  try {
    return loop(block, ranks);
  } catch (const LibraryError& error) {
    if (settle_device() != cudaSuccess) throw DeviceLost(block.name + ": " + error.what());
    return nullptr;
  }
}

nlohmann::json Session::loop(const Case& block, std::span<const std::int64_t> ranks) {
  constexpr std::int64_t kAtOnce = 10;
  Workload workload = block_workload(block, ranks, Dataflow::chained);
  if (workload.status != RowStatus::ok) return nullptr;
  GpuSubject subject(workload, stopwatch_, scratch_, protocol_);
  subject.warm_up(protocol_.warm_ups);
  const Seconds start = clock_.now();
  const double burst = subject.hot(1, kAtOnce).sm_clock_mhz;
  Series last;
  do {
    last = subject.hot(1, kAtOnce);
  } while (clock_.now() - start < protocol_.sustained_time);
  return {{"block", block.name},
          {"seconds", (clock_.now() - start).count()},
          {"burst_sm_clock_mhz", burst},
          {"sm_clock_mhz", last.sm_clock_mhz},
          {"block_s", last.seconds.back()}};
}

}  // namespace stepcast
