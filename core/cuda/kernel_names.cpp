// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>

#include "core/cuda/check.hpp"
#include "core/cuda/hold.hpp"
#include "core/cuda/libraries.hpp"
#include "core/cuda/work_graph.hpp"
#include "core/statistics.hpp"

namespace stepcast {
namespace {

using Work = std::function<void(cudaStream_t)>;

/// Times graphs, behind a hold.
class GraphTimer {
 public:
  /// `nodes`: of the largest graph.
  GraphTimer(std::size_t nodes, cudaStream_t stream)
      : stream_(stream),
        launches_(std::clamp<std::size_t>(kNodesBehindHold / nodes, 1, 10)),
        hold_(Seconds(2)) {}

  /// Seconds of one launch.
  double time(cudaGraph_t graph) {
    cudaGraphExec_t raw = nullptr;
    check(cudaGraphInstantiate(&raw, graph, 0), "instantiating a graph");
    const GraphExec exec(raw);
    check(cudaGraphLaunch(raw, stream_), "running a graph");
    check(cudaStreamSynchronize(stream_), "running a graph");
    std::array<double, 5> samples{};
    for (double& sample : samples) sample = run(raw);
    return median(samples);
  }

 private:
  static constexpr std::size_t kNodesBehindHold = 200;  // a stream's queue takes 1024

  double run(cudaGraphExec_t graph) {
    {
      const HoldRelease release(hold_);
      hold_.enqueue(stream_);
      check(cudaEventRecord(start_.get(), stream_), "recording an event");
      for (std::size_t i = 0; i < launches_; ++i) {
        check(cudaGraphLaunch(graph, stream_), "running a graph");
      }
      check(cudaEventRecord(stop_.get(), stream_), "recording an event");
    }
    check(cudaStreamSynchronize(stream_), "running a graph");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "timing a graph");
    return 1e-3 * static_cast<double>(milliseconds) / static_cast<double>(launches_);
  }

  cudaStream_t stream_;
  std::size_t launches_;
  Hold hold_;
  Event start_ = make_event();
  Event stop_ = make_event();
};

/// Graphs of their own, not one whose nodes are turned off: kernels that are launched before those
/// ahead of them end (programmatic launches) do not survive that.
double conversion_share(cudaGraph_t graph, const std::vector<GraphNode>& nodes,
                        cudaStream_t stream) {
  const auto converts = [](const GraphNode& node) { return node.converts; };
  if (std::none_of(nodes.begin(), nodes.end(), converts)) return 0;
  const auto never = [](const GraphNode&) { return false; };
  GraphTimer timer(nodes.size(), stream);
  const double all = timer.time(graph);
  const double conversions = timer.time(part(graph, nodes, converts).get());
  const double none = timer.time(part(graph, nodes, never).get());
  if (all <= none) return 0;
  return std::clamp((conversions - none) / (all - none), 0.0, 1.0);
}

/// The names, and the share if it is asked for.
KernelCensus counted(const Work& work, cudaStream_t stream, bool timed) {
  KernelCensus result;
  try {
    work(stream);  // a capture must not load kernels
    check(cudaStreamSynchronize(stream), "running work once before its capture");
    const Graph graph = capture(work, stream);
    const std::vector<GraphNode> nodes = stepcast::nodes(graph.get());
    for (const GraphNode& node : nodes) result.kernels.push_back(node.name);
    if (timed) result.conversion_share = conversion_share(graph.get(), nodes, stream);
  } catch (const std::exception& error) {
    result.reason = error.what();
  }
  return result;
}

}  // namespace

KernelCensus census(const Work& work, cudaStream_t stream) { return counted(work, stream, true); }

std::vector<std::string> kernel_names(const Work& work) {
  const Stream stream = make_stream();
  return counted(work, stream.get(), false).kernels;
}

}  // namespace stepcast
