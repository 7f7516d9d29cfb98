// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/execution_group.hpp"

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

void record(const Event& event, cudaStream_t stream) {
  check(cudaEventRecordWithFlags(event.get(), stream, cudaEventRecordExternal),
        "recording an event in a graph");
}

GraphExec instantiate(const Graph& graph) {
  cudaGraphExec_t raw = nullptr;
  check(cudaGraphInstantiate(&raw, graph.get(), 0), "making a graph of executions");
  return GraphExec(raw);
}

}  // namespace

ExecutionGroup::ExecutionGroup(const NumberedWork& work, std::int64_t executions,
                               const std::function<void(cudaStream_t)>& before, cudaStream_t stream)
    : stream_(stream), executions_(executions), start_(make_event()), stop_(make_event()) {
  const Graph graph = capture(
      [&](cudaStream_t on) {
        before(on);
        work(on, 0);
        record(start_, on);
        for (std::int64_t number = 1; number <= executions; ++number) work(on, number);
        record(stop_, on);
      },
      stream);
  executable_ = instantiate(graph);
  launch();
  check(cudaStreamSynchronize(stream_), "running a graph of executions");
}

void ExecutionGroup::launch() {
  check(cudaGraphLaunch(executable_.get(), stream_), "launching a graph of executions");
}

double ExecutionGroup::seconds() const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "reading a sample");
  return 1e-3 * static_cast<double>(milliseconds) / static_cast<double>(executions_);
}

}  // namespace stepcast
