// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/work_graph.hpp"

#include <cuda.h>

#include <array>
#include <unordered_map>
#include <utility>

#include "core/cuda/check.hpp"
#include "core/kernel_name.hpp"

namespace stepcast {
namespace {

/// A function of the driver, which is not linked: programs also start where there is none.
template <typename Function>
Function driver_function(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const std::string doing = "looking for the driver's " + std::string(name);
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &address, 12030, cudaEnableDefault, &found), doing);
#else
  check(cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found), doing);
#endif
  if (found != cudaDriverEntryPointSuccess || address == nullptr) {
    throw LibraryError(SourceLocation::current(), doing, "CUDA: needs a driver for CUDA 12.3");
  }
  return reinterpret_cast<Function>(address);
}

/// The name of a kernel node's function. The runtime's own query knows only kernels that it
/// launched itself, not those of libraries.
std::string function_name(cudaGraphNode_t node) {
  static const auto params =
      driver_function<decltype(&cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams");
  static const auto name_of_kernel = driver_function<decltype(&cuKernelGetName)>("cuKernelGetName");
  static const auto name_of_function = driver_function<decltype(&cuFuncGetName)>("cuFuncGetName");
  CUDA_KERNEL_NODE_PARAMS kernel{};
  const char* name = nullptr;
  if (params(node, &kernel) != CUDA_SUCCESS) return "unknown";
  if (kernel.func != nullptr && name_of_function(&name, kernel.func) == CUDA_SUCCESS) return name;
  if (kernel.kern != nullptr && name_of_kernel(&name, kernel.kern) == CUDA_SUCCESS) return name;
  return "unknown";
}

GraphNode named(cudaGraphNode_t handle) {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  check(cudaGraphNodeGetType(handle, &type), "reading a graph's node");
  switch (type) {
    case cudaGraphNodeTypeKernel: {
      const std::string name = function_name(handle);
      return {handle, short_kernel_name(name), is_conversion(name)};
    }
    case cudaGraphNodeTypeMemset:
      return {handle, "memset", false};
    case cudaGraphNodeTypeMemcpy:
      return {handle, "memcpy", false};
    case cudaGraphNodeTypeHost:
      return {handle, "host", false};
    case cudaGraphNodeTypeGraph:
      return {handle, "graph", false};
    default:
      return {handle, "", false};
  }
}

using Handles = std::vector<cudaGraphNode_t>;

/// The graph's edges, as two lists of their ends.
std::array<Handles, 2> edges(cudaGraph_t graph) {
#if CUDART_VERSION >= 13000
  const auto query = cudaGraphGetEdges;
#else
  const auto query = cudaGraphGetEdges_v2;
#endif
  std::size_t count = 0;
  check(query(graph, nullptr, nullptr, nullptr, &count), "counting a graph's edges");
  std::array<Handles, 2> ends{Handles(count), Handles(count)};
  std::vector<cudaGraphEdgeData> data(count);
  if (count == 0) return ends;
  check(query(graph, ends[0].data(), ends[1].data(), data.data(), &count),
        "reading a graph's edges");
  return ends;
}

/// The graph's nodes, each behind those that it waits for; CUDA promises no order.
Handles ordered(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "counting a graph's nodes");
  Handles nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "reading a graph's nodes");
  const auto [from, to] = edges(graph);
  std::unordered_map<cudaGraphNode_t, std::size_t> waits;
  for (const cudaGraphNode_t node : to) ++waits[node];
  Handles order;
  for (const cudaGraphNode_t node : nodes) {
    if (waits[node] == 0) order.push_back(node);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t edge = 0; edge < from.size(); ++edge) {
      if (from[edge] == order[i] && --waits[to[edge]] == 0) order.push_back(to[edge]);
    }
  }
  return order;
}

}  // namespace

Graph capture(const std::function<void(cudaStream_t)>& work, cudaStream_t stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a capture");
  cudaGraph_t raw = nullptr;
  try {
    work(stream);
  } catch (...) {
    cudaStreamEndCapture(stream, &raw);
    cudaGetLastError();
    const Graph broken(raw);
    throw;
  }
  check(cudaStreamEndCapture(stream, &raw), "capturing what a stream is given");
  return Graph(raw);
}

Graph part(cudaGraph_t graph, std::span<const GraphNode> nodes,
           const std::function<bool(const GraphNode&)>& chosen) {
#if CUDART_VERSION >= 13000
  const auto add = cudaGraphAddDependencies;
#else
  const auto add = cudaGraphAddDependencies_v2;
#endif
  cudaGraph_t raw = nullptr;
  check(cudaGraphClone(&raw, graph), "copying a graph");
  Graph copy(raw);
  Handles kept;
  for (const GraphNode& node : nodes) {
    cudaGraphNode_t own = nullptr;
    check(cudaGraphNodeFindInClone(&own, node.handle, raw), "finding a node in a graph's copy");
    if (chosen(node)) {
      kept.push_back(own);
    } else {
      check(cudaGraphDestroyNode(own), "removing a graph's node");
    }
  }
  const auto [from, to] = edges(raw);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    bool waits = false;
    for (std::size_t edge = 0; edge < from.size(); ++edge) {
      waits = waits || (from[edge] == kept[i - 1] && to[edge] == kept[i]);
    }
    if (waits) continue;
    check(add(raw, &kept[i - 1], &kept[i], nullptr, 1), "adding a graph's edge");
  }
  return copy;
}

std::vector<GraphNode> nodes(cudaGraph_t graph) {
  std::vector<GraphNode> nodes;
  for (const cudaGraphNode_t handle : ordered(graph)) {
    GraphNode node = named(handle);
    if (!node.name.empty()) nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace stepcast
