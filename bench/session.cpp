// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/session.hpp"

#include <optional>

#include "bench/ceilings.hpp"
#include "core/cuda/architecture.hpp"
#include "core/cuda/check.hpp"
#include "core/cuda/versions.hpp"

namespace stepcast {
namespace {

Protocol protocol_of(const BenchOptions& options) {
  Protocol protocol = make_protocol(options.quick);
  protocol.hold = options.hold;
  return protocol;
}

/// The device's libraries, once it is sure that this build can run there.
Libraries ready_libraries(int index) {
  Libraries libraries = make_libraries(index);
  require_built_for(libraries.device);
  return libraries;
}

StopwatchOptions stopwatch_options(const Protocol& protocol, const cudaDeviceProp& device) {
  return {protocol.hold, protocol.hold_timeout, l2_bytes(device) * protocol.flush_l2,
          protocol.launches_behind_hold};
}

}  // namespace

Session::Session(const BenchOptions& options, const std::vector<std::string>& command)
    : protocol_(protocol_of(options)),
      plans_{static_cast<std::size_t>(options.workspace_mib) << 20U,
             static_cast<std::size_t>(options.max_candidates)},
      libraries_(ready_libraries(options.device)),
      stopwatch_(stopwatch_options(protocol_, libraries_.device)),
      sampler_(stopwatch_, protocol_),
      run_(new_run("stepcast-bench " STEPCAST_VERSION, command, libraries_.device)) {
  run_["method_version"] = protocol_.method_version;
  run_["protocol"] = record(protocol_, l2_bytes(libraries_.device) * protocol_.flush_l2);
  run_["protocol"]["workspace_limit_bytes"] = plans_.workspace_limit_bytes;
  run_["protocol"]["max_candidates"] = plans_.max_candidates;
  ceilings_ =
      measure_ceilings({libraries_, arena_, stopwatch_, sampler_, protocol_, plans_}, run_id());
}

const Measurement& Session::measure(const Case& chosen, std::size_t repetition) {
  std::vector<Measurement>& repetitions = measured_[identity(chosen)];
  while (repetitions.size() <= repetition) repetitions.push_back(time(chosen));
  return repetitions[repetition];
}

Measurement Session::time(const Case& chosen) {
  Measurement result;
  const bool is_block = chosen.ops.size() > 1;
  if (is_block) {
    // The block runs each op's fastest plan, which timing the op alone has found.
    for (const Op& op : chosen.ops) {
      const Measurement& alone = measure({"", {op}});
      if (alone.status == RowStatus::ok) continue;
      result.status = alone.status;
      result.reason = key(op) + ": " + alone.reason;
      return result;
    }
  }
  try {
    Workload workload =
        make_workload(libraries_, arena_, chosen.ops, plans_, protocol_.seed, stopwatch_.stream());
    result.status = workload.status;
    result.reason = workload.reason;
    if (workload.status != RowStatus::ok) return result;
    if (is_block) {
      time_block(chosen, workload, result);
    } else {
      time_op(chosen.ops.front(), workload, result);
    }
  } catch (const LibraryError& error) {
    result.status = RowStatus::failed;
    result.reason = error.what();
    check(cudaDeviceSynchronize(), "going on after: " + result.reason);
  } catch (const HoldTimeout& error) {
    result.status = RowStatus::failed;
    result.reason = error.what();
  }
  return result;
}

void Session::time_op(const Op& op, Workload& workload, Measurement& result) {
  Plan& plan = *workload.plans.front();
  const Work work = [&plan](cudaStream_t stream) { plan.enqueue(stream); };
  Search search{Candidate{}, 1, true};
  if (const auto& known = measured_[key(op)]; !known.empty()) {
    search = {Candidate{known.front().best.rank, 0}, known.front().plans_timed,
              known.front().first.has_value()};
  } else if (plan.candidates() > 1) {
    const auto limit = static_cast<std::int64_t>(plans_.max_candidates);
    search = sampler_.search(plan, limit, workload.launches);
  }
  result.plans_timed = search.plans_timed;
  if (!search.best || !plan.select(static_cast<std::size_t>(search.best->rank))) {
    result.status = RowStatus::failed;
    result.reason =
        "none of the " + std::to_string(plan.candidates()) + " plans that the library offers ran";
    return;
  }
  result.best = describe(plan);
  result.best.cold = sampler_.cold(work, workload.launches);
  if (search.best->rank != 0 && search.first_runs && plan.select(0)) {
    PlanTiming first = describe(plan);
    first.cold = sampler_.cold(work, workload.launches);
    if (first.cold.summary.median <= result.best.cold.summary.median) {
      result.best = first;  // the search's short series misjudged them
    } else {
      result.first = first;
      plan.select(static_cast<std::size_t>(search.best->rank));
    }
  }
  result.best.hot = sampler_.hot(work, workload.launches, Seconds(result.best.cold.summary.median));
}

void Session::time_block(const Case& block, Workload& workload, Measurement& result) {
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const auto rank = measured_.at(key(block.ops[i])).front().best.rank;
    if (!workload.plans[i]->select(static_cast<std::size_t>(rank))) {
      result.status = RowStatus::failed;
      result.reason = key(block.ops[i]) + ": plan " + std::to_string(rank) + " is gone";
      return;
    }
  }
  const Work work = [&workload](cudaStream_t stream) { workload.enqueue(stream); };
  result.best.plan = std::to_string(block.ops.size()) + " ops";
  result.best.cold = sampler_.cold(work, workload.launches);
  result.best.hot = sampler_.hot(work, workload.launches, Seconds(result.best.cold.summary.median));
}

PlanTiming Session::describe(const Plan& plan) const {
  PlanTiming timing;
  timing.rank = static_cast<std::int64_t>(plan.selected());
  timing.plan = plan.name();
  timing.workspace_bytes = static_cast<std::int64_t>(plan.workspace_bytes());
  return timing;
}

}  // namespace stepcast
