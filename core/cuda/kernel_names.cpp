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

/// Times a graph with some of its nodes.
class GraphTimer {
 public:
  GraphTimer(cudaGraph_t graph, const std::vector<GraphNode>& nodes, cudaStream_t stream)
      : nodes_(nodes),
        stream_(stream),
        launches_(std::clamp<std::size_t>(kNodesBehindHold / nodes.size(), 1, 10)),
        hold_(Seconds(2)) {
    cudaGraphExec_t raw = nullptr;
    check(cudaGraphInstantiate(&raw, graph, 0), "instantiating a graph");
    exec_.reset(raw);
  }

  /// Seconds of one launch with the nodes that `chosen` chooses.
  template <typename Chosen>
  double time(Chosen chosen) {
    for (const GraphNode& node : nodes_) {
      if (node.name == "host" || node.name == "graph") continue;  // cannot be turned off
      check(cudaGraphNodeSetEnabled(exec_.get(), node.handle, chosen(node) ? 1 : 0),
            "turning a graph's node on or off");
    }
    check(cudaGraphLaunch(exec_.get(), stream_), "running a graph");
    check(cudaStreamSynchronize(stream_), "running a graph");
    std::array<double, 5> samples{};
    for (double& sample : samples) sample = run();
    return median(samples);
  }

 private:
  static constexpr std::size_t kNodesBehindHold = 200;  // a stream's queue takes 1024

  double run() {
    {
      const HoldRelease release(hold_);
      hold_.enqueue(stream_);
      check(cudaEventRecord(start_.get(), stream_), "recording an event");
      for (std::size_t i = 0; i < launches_; ++i) {
        check(cudaGraphLaunch(exec_.get(), stream_), "running a graph");
      }
      check(cudaEventRecord(stop_.get(), stream_), "recording an event");
    }
    check(cudaStreamSynchronize(stream_), "running a graph");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "timing a graph");
    return 1e-3 * static_cast<double>(milliseconds) / static_cast<double>(launches_);
  }

  const std::vector<GraphNode>& nodes_;
  cudaStream_t stream_;
  std::size_t launches_;
  Hold hold_;
  GraphExec exec_;
  Event start_ = make_event();
  Event stop_ = make_event();
};

double conversion_share(cudaGraph_t graph, const std::vector<GraphNode>& nodes,
                        cudaStream_t stream) {
  const auto converts = [](const GraphNode& node) { return node.converts; };
  if (std::none_of(nodes.begin(), nodes.end(), converts)) return 0;
  GraphTimer timer(graph, nodes, stream);
  const double all = timer.time([](const GraphNode&) { return true; });
  const double conversions = timer.time(converts);
  const double none = timer.time([](const GraphNode&) { return false; });
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
